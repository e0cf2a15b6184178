// sheets
