;;; emacs-verbs.el --- apply one Org command to a file, in batch -*- lexical-binding: t; -*-

;; Companion of emacs-verbs.sh, which documents the use.  All input comes
;; in two JSON files, all output is the files below the Org folder and one
;; JSON document.

(setq native-comp-deferred-compilation nil
      native-comp-jit-compilation nil
      comp-enable-subr-trampolines nil
      native-comp-enable-subr-trampolines nil
      debug-on-error nil
      enable-local-variables :safe
      vc-handled-backends nil
      auto-save-default nil
      make-backup-files nil
      create-lockfiles nil
      user-full-name "Ada Example"
      user-mail-address "ada@example.org"
      calendar-week-start-day 1)
(prefer-coding-system 'utf-8-unix)
(fset 'system-name (lambda () "host.example.org"))

(require 'json)
(require 'org)
(require 'org-id)
(require 'org-agenda)
(require 'org-archive)
(require 'org-capture)
(require 'org-refile)
(require 'org-clock)
(require 'org-habit)
(require 'org-datetree)
(require 'ox-ascii)
(require 'ox-md)
(require 'ox-html)
(require 'ox-icalendar)
(require 'holidays)

;; ---------------------------------------------------------------- clock

(defvar ev-now nil "The frozen clock.")

(defun ev-set-now (s)
  "Freeze the clock at S, local time."
  (let ((d (parse-time-string s)))
    (setq ev-now (encode-time (list (or (nth 0 d) 0) (or (nth 1 d) 0) (or (nth 2 d) 0)
                                    (nth 3 d) (nth 4 d) (nth 5 d) nil -1 nil)))))

(advice-add 'current-time :override (lambda () ev-now))
(advice-add 'time-since :override (lambda (time) (time-subtract ev-now time)))
(advice-add 'current-time-string :around (lambda (f &optional time zone) (funcall f (or time ev-now) zone)))
(advice-add 'format-time-string :around
            (lambda (f fmt &optional time zone) (funcall f fmt (or time ev-now) zone)))
(advice-add 'decode-time :around (lambda (f &optional time &rest more) (apply f (or time ev-now) more)))
(advice-add 'float-time :around (lambda (f &optional time) (funcall f (or time ev-now))))
(advice-add 'timer-activate :override #'ignore)
(advice-add 'timer-activate-when-idle :override #'ignore)
(dolist (fn '(time-less-p time-equal-p time-subtract time-add))
  (advice-add fn :around (lambda (f a b) (funcall f (or a ev-now) (or b ev-now)))))
(advice-add 'time-convert :around (lambda (f &optional time form) (funcall f (or time ev-now) form)))
(advice-add 'sit-for :override (lambda (&rest _) t))

;; A blocked change of state is only a message in batch mode.
(defvar ev-blocked nil)
(advice-add 'message :before
            (lambda (&optional fmt &rest args)
              (when (and (stringp fmt) (string-match-p "blocked" fmt))
                (setq ev-blocked (apply #'format fmt args)))))

;; ------------------------------------------------------------------ IDs

(defvar ev-id-count 0)
(defun ev-new-uuid (&rest _)
  (setq ev-id-count (1+ ev-id-count))
  (format "00000000-0000-4000-8000-%012x" ev-id-count))
(advice-add 'org-id-uuid :override #'ev-new-uuid)
(advice-add 'org-id-new :override (lambda (&optional _) (ev-new-uuid)))

;; -------------------------------------------------------------- answers

;; What a person would type, in order.  A question without an answer is an
;; error, as is an answer without a question.
(defvar ev-answers nil)
(defvar ev-asked nil)

(defun ev-answer (what prompt)
  (push (format "%s" (or prompt what)) ev-asked)
  (if (null ev-answers)
      (error "Emacs asked a question: %s" (string-trim (format "%s" (or prompt what))))
    (pop ev-answers)))
(defun ev-answer-char (what prompt)
  (let ((a (ev-answer what prompt)))
    (cond ((equal a "RET") ?\C-m) ((equal a "TAB") ?\C-i) ((equal a "SPC") ?\s)
          ((equal a "C-g") ?\C-g) ((stringp a) (aref a 0)) (t a))))
(dolist (f '(read-char read-char-exclusive read-event read-key read-char-choice))
  (advice-add f :override (lambda (&optional prompt &rest _) (ev-answer-char f prompt))))
(dolist (f '(y-or-n-p yes-or-no-p))
  (advice-add f :override
              (lambda (prompt) (member (ev-answer f prompt) '("y" "yes" t)))))
(advice-add 'read-string :override
            (lambda (prompt &optional initial _h default &rest _)
              (let ((a (ev-answer 'read-string prompt)))
                (if (equal a "") (or (if (consp default) (car default) default) "") (ignore initial) a))))
(advice-add 'read-from-minibuffer :override (lambda (prompt &rest _) (ev-answer 'read-from-minibuffer prompt)))
(advice-add 'completing-read :override
            (lambda (prompt &optional _c _p _r _i _h default &rest _)
              (let ((a (ev-answer 'completing-read prompt)))
                (if (equal a "") (or (if (consp default) (car default) default) "") a))))
(advice-add 'completing-read-multiple :override
            (lambda (prompt &rest _) (split-string (ev-answer 'crm prompt) ":" t)))
(advice-add 'read-number :override
            (lambda (prompt &rest _) (string-to-number (format "%s" (ev-answer 'read-number prompt)))))

;; ------------------------------------------------------------- JSON ⇄ Lisp

(defun ev-lisp (v)
  "The Lisp value of V: \"'x\" is a symbol, {\"cons\": [a, b]} a pair, {\"lisp\": s} is read."
  (cond ((stringp v) (if (string-prefix-p "'" v) (intern (substring v 1)) v))
        ((and (consp v) (consp (car v)) (eq (caar v) 'cons))
         (let ((p (cdar v))) (cons (ev-lisp (car p)) (ev-lisp (cadr p)))))
        ((and (consp v) (consp (car v)) (eq (caar v) 'lisp)) (car (read-from-string (cdar v))))
        ((consp v) (mapcar #'ev-lisp v))
        (t v)))

(defun ev-read (file)
  (with-temp-buffer
    (let ((coding-system-for-read 'utf-8)) (insert-file-contents file))
    (json-parse-buffer :object-type 'alist :array-type 'list :null-object nil :false-object nil)))

(defun ev-obj (&rest plist)
  "A JSON object of the non-nil values in PLIST."
  (let (out)
    (while plist
      (when (cadr plist) (push (cons (car plist) (cadr plist)) out))
      (setq plist (cddr plist)))
    (or (nreverse out) (make-hash-table))))
(defun ev-plain (s) (and s (substring-no-properties s)))
(defun ev-vec (l) (vconcat l))

;; ------------------------------------------------------------ selecting

(defvar ev-dir nil "The Org folder.")
(defvar ev-file "notes.org")

(defun ev-visit (&optional file)
  (find-file (expand-file-name (or file ev-file) ev-dir))
  (widen)
  (when (fboundp 'org-fold-show-all) (org-fold-show-all))
  (goto-char (point-min)))

(defun ev-goto (at)
  "Go to the entry (or item, table, line) that AT names."
  (let-alist at
    (ev-visit .file)
    (cond (.id (goto-char (or (org-find-property "ID" .id) (error "No entry with ID %s" .id))))
          (.path (goto-char (org-find-olp (append .path nil) t)))
          (.line (forward-line (1- .line)))
          ((not .top) (or (org-at-heading-p) (outline-next-heading))))
    (when .item
      (let ((end (save-excursion (org-end-of-subtree t t) (point))))
        (unless (re-search-forward
                 (concat "^[ \t]*\\(?:[-+*]\\|[0-9]+[.)]\\|[a-zA-Z][.)]\\)[ \t]+\\(?:\\[@[^]]*\\][ \t]*\\)?\\(?:\\[[- X]\\][ \t]*\\)?"
                         (regexp-quote .item))
                 end t)
          (error "No item %s" .item))
        (beginning-of-line)))
    (when .search (search-forward .search) (goto-char (match-beginning 0)))))

;; ---------------------------------------------------------------- notes

(defvar ev-notes nil "Texts for note buffers, in order.")

(defun ev-flush-log ()
  "Carry out what Org left to `post-command-hook'."
  (when (memq 'org-add-log-note (append (default-value 'post-command-hook) post-command-hook))
    (save-current-buffer
      (let ((how org-log-note-how) (buffer (current-buffer)))
        (org-add-log-note)
        (unless (memq how '(time state))
          (let ((text (if ev-notes (pop ev-notes) (error "Emacs asked for a note"))))
            (goto-char (point-max))
            (if (eq text t) (setq org-note-abort t) (insert text))
            (org-store-log-note)
            (setq org-note-abort nil)))
        (set-buffer buffer)))))

;; ---------------------------------------------------------------- verbs

(defvar org-time-was-given)
(defvar org-end-time-was-given)

(defmacro ev-define (name args &rest body)
  "Define the verb NAME; BODY sees the members of its arguments as .x."
  (declare (indent 2))
  `(defun ,(intern (concat "ev-verb/" (symbol-name name))) ,args
     (ignore ,(car args)) (let-alist ,(car args) ,@body)))

(ev-define todo (args)
  (org-todo (cond (.state (if (equal .state "") 'none .state))
                  (.to (pcase .to ("next" 'right) ("previous" 'left) ("cycle" nil)
                              ("nextset" 'nextset) ("previousset" 'previousset)
                              ("keys" nil) (x (error "Unknown %s" x))))
                  (.prefix (ev-lisp .prefix)))))
(ev-define priority (args)
  (org-priority (pcase .value ("up" 'up) ("down" 'down) ("" 'remove)
                       (x (if (string-match-p "\\`[0-9]+\\'" x) (string-to-number x) (aref x 0))))))
(ev-define tags (args)
  (cond (.keys (setq org-use-fast-tag-selection (if (boundp 'org-use-fast-tag-selection) org-use-fast-tag-selection 'auto))
               (org-set-tags-command))
        (.toggle (org-toggle-tag .toggle))
        (.add (dolist (x (append .add nil)) (org-toggle-tag x 'on)))
        (.remove (dolist (x (append .remove nil)) (org-toggle-tag x 'off)))
        (.align (org-align-tags t))
        (t (org-set-tags (append .set nil)))))
(defun ev-plan (fn args)
  (let-alist args
    (funcall fn (cond (.remove '(4)) (.delay '(16)) (t nil)) .time)))
(ev-define schedule (args) (ignore .time) (ev-plan #'org-schedule args))
(ev-define deadline (args) (ignore .time) (ev-plan #'org-deadline args))
(ev-define shift-timestamp (args)
  ;; As org-agenda-do-date-later: the nth timestamp of the entry.
  (let ((end (save-excursion (org-end-of-subtree t t) (point))))
    (dotimes (_ (or .nth 1)) (re-search-forward org-ts-regexp-both end))
    (goto-char (match-beginning 0))
    (if (and .unit (string= .unit "repeater")) (error "No such unit")
      (org-timestamp-change .by (intern (or .unit "day"))))))
(ev-define toggle-timestamp-type (_args)
  (re-search-forward org-ts-regexp-both) (goto-char (match-beginning 0)) (org-toggle-timestamp-type))
(ev-define property (args)
  (cond (.delete (org-delete-property .delete))
        (.effort (org-set-effort nil .effort))
        (.append (org-entry-add-to-multivalued-property nil .append .value))
        (.drop (org-entry-remove-from-multivalued-property nil .drop .value))
        (t (org-entry-put nil .name .value))))
(ev-define get-property (args)
  (let ((v (org-entry-get nil .name (ev-lisp .inherit)))) (or v :null)))
(ev-define note (_args) (org-add-note))
(ev-define id (_args) (org-id-get-create))
(ev-define title (args) (org-edit-headline .title))
(ev-define body (args)
  ;; Not a command of Org: what a person does who rewrites the text.
  (let ((heading (point-marker))
        (beg (progn (org-end-of-meta-data t) (point)))
        (end (save-excursion (outline-next-heading) (skip-chars-backward " \t\n") (forward-line) (point))))
    (when (and (> beg (point-min)) (not (bolp))) (insert "\n") (setq beg (point)))
    (when (> end beg) (delete-region beg end))
    (goto-char beg)
    (unless (equal .text "") (insert .text "\n"))
    (goto-char heading)
    (when .log (org-add-note))))
(ev-define checkbox (args)
  (cond (.reset (org-reset-checkbox-state-subtree))
        (.radio (org-toggle-radio-button))
        (.add (org-toggle-checkbox '(4)))
        (.partial (org-toggle-checkbox '(16)))
        (t (org-toggle-checkbox))))
(ev-define insert-item (args)
  (end-of-line) (org-insert-item .checkbox) (insert .text) (org-list-repair))
(ev-define update-cookies (args) (org-update-statistics-cookies .all))
(ev-define repair-list (_args) (org-list-repair))
(ev-define toggle-comment (_args) (org-toggle-comment))
(ev-define toggle-ordered (_args) (org-toggle-ordered-property))

(ev-define capture (args)
  (setq org-capture-initial nil)
  (let ((kill-ring nil) (org-overriding-default-time nil))
    (when .clip (kill-new .clip))
    (when .region
      (with-current-buffer (get-buffer-create "region") (erase-buffer)))
    (setq org-store-link-plist nil)
    (if .at (ev-goto .at) (switch-to-buffer (get-buffer-create "*scratch*")) (fundamental-mode))
    (cond (.link
           ;; As org-protocol hands it over.
           (let ((l (append .link nil)))
             (apply #'org-link-store-props :type "https" :link (car l) :description (cadr l)
                    (list :annotation (org-link-make-string (car l) (cadr l)) :initial (or .initial "")))
             (let ((org-capture-link-is-already-stored t) (org-capture-initial (or .initial "")))
               (org-capture nil .key))))
          (.initial (org-capture-string .initial .key))
          (t (org-capture nil .key)))
    (when (and (bound-and-true-p org-capture-mode) (not (org-capture-get :immediate-finish)))
      (when .text (insert .text))
      (if .abort (org-capture-kill) (if .prepend (org-capture-finalize) (org-capture-finalize))))
    (when (and (org-capture-get :immediate-finish) .text) (error "The template finishes at once"))))

(defun ev-targets ()
  (let ((org-refile-cache nil)) (org-refile-get-targets)))
(ev-define refile-targets (_args)
  (ev-vec (mapcar (lambda (x) (ev-obj 'name (ev-plain (car x)) 'file (and (nth 1 x) (file-relative-name (nth 1 x) ev-dir))
                                      'at (if (nth 3 x) "heading" "file")))
                  (ev-targets))))
(ev-define refile (args)
  (let* ((name .target)
         (rfloc (or (seq-find (lambda (x) (equal (ev-plain (car x)) name)) (ev-targets))
                    (and .create
                         (let ((parent (seq-find (lambda (x) (equal (ev-plain (car x)) .create)) (ev-targets))))
                           (org-refile-new-child parent .child)))
                    (error "No refile target %s" name))))
    (if .copy (let ((org-refile-keep t)) (org-refile nil nil rfloc "Copy")) (org-refile nil nil rfloc))))
(ev-define archive (args)
  (pcase (or .to "subtree")
    ("subtree" (org-archive-subtree)) ("sibling" (org-archive-to-archive-sibling))
    ("tag" (org-toggle-archive-tag)) ("all" (org-archive-all-done nil)) ("old" (org-archive-all-old nil))
    (x (error "Unknown %s" x))))

(ev-define clock-in (args)
  (setq org-clock-history nil)
  (org-clock-in nil (and .start (encode-time (org-parse-time-string .start)))))
(ev-define clock-out (args)
  (org-clock-out nil nil (and .end (encode-time (org-parse-time-string .end)))))
(ev-define clock-cancel (_args) (org-clock-cancel))
(ev-define clock-resume (_args)
  ;; A clock that another Emacs left running.
  (re-search-forward "CLOCK: *\\[[^]]*\\][ \t]*$")
  (let ((start (save-excursion (beginning-of-line) (re-search-forward org-ts-regexp-inactive)
                               (encode-time (org-parse-time-string (match-string 0))))))
    (org-clock-clock-in (cons (copy-marker (match-beginning 0)) start) t start)))
(ev-define clock-sum (_args)
  (org-clock-sum)
  (let (out)
    (org-map-entries (lambda () (push (ev-obj 'title (ev-plain (org-get-heading t t t t))
                                              'minutes (get-text-property (point) :org-clock-minutes)) out)))
    (ev-vec (nreverse out))))
(ev-define clock-update-time (_args) (org-clock-update-time-maybe))
(ev-define update-dblock (args) (if .all (org-update-all-dblocks) (org-update-dblock)))
(ev-define clock-report (args)
  (org-create-dblock (append (list :name "clocktable") (ev-lisp .parameters))) (org-update-dblock))

(ev-define sort (args)
  (org-sort-entries .case (aref .by 0) nil nil .property))
(ev-define sort-list (args) (org-sort-list .case (aref .by 0)))
(ev-define promote (args) (if .alone (org-do-promote) (org-promote-subtree)))
(ev-define demote (args) (if .alone (org-do-demote) (org-demote-subtree)))
(ev-define move (args)
  (pcase .to ("up" (org-move-subtree-up (or .by 1))) ("down" (org-move-subtree-down (or .by 1)))))
(ev-define delete (_args) (org-cut-subtree))
(ev-define duplicate (args)
  (org-clone-subtree-with-time-shift .times .shift))
(ev-define paste (args)
  (org-cut-subtree)
  (ev-goto .to)
  (if .below (progn (org-end-of-subtree t t) (org-paste-subtree (1+ (save-excursion (ev-goto .to) (org-current-level)))))
    (org-paste-subtree)))
(ev-define insert-heading (args)
  (pcase (or .where "after")
    ("after" (org-insert-heading-respect-content) (insert .title))
    ("before" (beginning-of-line) (org-insert-heading) (insert .title))
    ("child" (end-of-line) (org-insert-subheading nil) (insert .title))
    ("todo" (end-of-line) (org-insert-todo-heading-respect-content) (insert .title))
    ("first-todo" (end-of-line) (org-insert-todo-heading-respect-content '(4)) (insert .title))))
(ev-define toggle-heading (_args) (org-toggle-heading))
(ev-define datetree (args)
  (org-datetree-find-date-create (append .date nil)) (end-of-line) (insert "\n" .text))

(ev-define export (args)
  (let ((org-export-with-author nil) (org-export-with-creator nil)
        (org-export-time-stamp-file nil) (org-html-validation-link nil))
    (let ((text (org-export-as (intern .backend) .subtree nil .body-only)))
      ;; Labels in HTML are random.
      (while (string-match "org[0-9a-f]\\{7\\}" text) (setq text (replace-match "LABEL" t t text)))
      text)))

;; -------------------------------------------------------------- queries

(defun ev-where (marker)
  (when (and marker (marker-buffer marker))
    (org-with-point-at marker
      (ev-obj 'file (file-relative-name (buffer-file-name (buffer-base-buffer)) ev-dir)
              'line (line-number-at-pos)
              'path (ev-vec (mapcar #'ev-plain
                                    (if (org-before-first-heading-p) nil (org-get-outline-path t))))
              'id (and (not (org-before-first-heading-p)) (org-entry-get nil "ID"))))))

(defun ev-date (d)
  (cond ((integerp d) (let ((g (calendar-gregorian-from-absolute d)))
                        (format "%04d-%02d-%02d" (nth 2 g) (nth 0 g) (nth 1 g))))
        ((consp d) (ev-date (calendar-absolute-from-gregorian d)))))

(defun ev-time (n) (and n (integerp n) (format "%02d:%02d" (/ n 100) (% n 100))))

(defvar ev-habit-faces nil)
(defun ev-habit-graph ()
  "The consistency graph of this line as [characters, letters for faces]."
  (let* ((w (+ org-habit-preceding-days org-habit-following-days))
         (beg (save-excursion (move-to-column org-habit-graph-column) (point)))
         (end (min (line-end-position) (+ beg w 1))) (letters ""))
    (dotimes (i (- end beg))
      (let ((f (get-text-property (+ beg i) 'face)))
        (setq f (if (consp f) (seq-find (lambda (x) (string-prefix-p "org-habit" (symbol-name x))) f) f))
        (setq letters
              (concat letters
                      (pcase f
                        ('org-habit-clear-face "c") ('org-habit-clear-future-face "C")
                        ('org-habit-ready-face "r") ('org-habit-ready-future-face "R")
                        ('org-habit-alert-face "a") ('org-habit-alert-future-face "A")
                        ('org-habit-overdue-face "o") ('org-habit-overdue-future-face "O") (_ ".") )))))
    (vector (buffer-substring-no-properties beg end) letters)))

(defun ev-agenda-dump (&optional with-text)
  (let (lines)
    (goto-char (point-min))
    (while (not (eobp))
      (let* ((b (line-beginning-position)) (e (line-end-position))
             (get (lambda (p) (get-text-property b p)))
             (type (funcall get 'type))
             (text (buffer-substring-no-properties b e)))
        (unless (= b e)
          (push
           (ev-obj 'day (and (funcall get 'org-agenda-date-header) (ev-date (funcall get 'day)))
                   'header (and (or (funcall get 'org-agenda-structural-header)
                                    (funcall get 'org-agenda-date-header))
                                (string-trim-right text))
                   'grid (and (funcall get 'time-of-day) (not type) (ev-time (funcall get 'time-of-day)))
                   'type (and type (format "%s" type))
                   'date (and type (ev-date (or (funcall get 'date) (funcall get 'day))))
                   'ts_date (and type (ev-date (funcall get 'ts-date)))
                   'time (and type (ev-time (funcall get 'time-of-day)))
                   'duration (and type (funcall get 'duration))
                   'todo (and type (ev-plain (funcall get 'todo-state)))
                   'priority (and type (funcall get 'priority))
                   'extra (and type (ev-plain (let ((x (funcall get 'extra))) (if (equal x "") nil x))))
                   'category (and type (ev-plain (funcall get 'org-category)))
                   'tags (and type (let ((v (ev-vec (mapcar #'ev-plain (funcall get 'tags))))) (and (> (length v) 0) v)))
                   'at (and type (ev-where (or (funcall get 'org-hd-marker) (funcall get 'org-marker))))
                   'habit (and type (funcall get 'org-habit-p) (ev-habit-graph))
                   'text (and (or with-text (not type)) (string-trim-right text)))
           lines)))
      (forward-line))
    (ev-vec (nreverse lines))))

(defun ev-agenda (fn text)
  (let ((org-agenda-sticky nil) (org-agenda-window-setup 'current-window))
    (funcall fn)
    (set-buffer org-agenda-buffer)
    (prog1 (ev-agenda-dump text))))

(ev-define agenda (args)
  (ev-agenda (lambda () (org-agenda-list nil .start (if (stringp .span) (intern .span) .span))) .rendered))
(ev-define todo-list (args) (ev-agenda (lambda () (org-todo-list .keywords)) .rendered))
(ev-define tags-view (args) (ev-agenda (lambda () (org-tags-view .todo-only .match)) .rendered))
(ev-define search-view (args) (ev-agenda (lambda () (org-search-view .todo-only .text)) .rendered))
(ev-define stuck (args) (ev-agenda (lambda () (org-agenda-list-stuck-projects)) .rendered))
(ev-define custom (args)
  (ev-agenda (lambda () (org-agenda nil .key)) .rendered))
(ev-define match (args)
  (ev-vec (org-map-entries (lambda () (ev-where (point-marker))) .match (if .file nil 'agenda))))
(ev-define tag-names (_args)
  (ev-vec (mapcar (lambda (x) (ev-plain (if (consp x) (car x) x))) (org-get-buffer-tags))))
(ev-define habit (_args)
  (let ((habit (org-habit-parse-todo)))
    (ev-obj 'scheduled (ev-date (nth 0 habit)) 'repeat (nth 1 habit) 'deadline (ev-date (nth 2 habit))
            'deadline_repeat (nth 3 habit) 'done (ev-vec (mapcar #'ev-date (nth 4 habit))) 'kind (nth 5 habit))))
(ev-define link (args)
  (let ((origin (current-buffer)))
    (ignore origin)
    (org-link-open-from-string .link)
    (ev-obj 'file (and buffer-file-name (file-relative-name buffer-file-name ev-dir)) 'line (line-number-at-pos)
            'text (string-trim-right (buffer-substring-no-properties (line-beginning-position) (line-end-position))))))
(ev-define icalendar (_args)
  (let ((out (expand-file-name "out.ics" ev-dir)) (org-icalendar-combined-agenda-file (expand-file-name "out.ics" ev-dir)))
    (org-icalendar-combine-agenda-files)
    (when (file-exists-p out)
      (prog1 (with-temp-buffer (insert-file-contents out) (buffer-string)) (delete-file out)))))
(ev-define export-ics (args)
  (let ((text (org-export-as 'icalendar .subtree nil .body-only '(:ascii-charset utf-8 :ascii-links-to-notes nil)))) text))
(ev-define date (args)
  ;; How Org reads a date that a person typed.
  (let (org-time-was-given org-end-time-was-given)
    (let ((date (org-read-date nil nil .text nil nil)))
      (concat date (and org-end-time-was-given (concat "-" org-end-time-was-given))))))

;; ------------------------------------------------------------------ run

(defun ev-run-call (call)
  (let-alist call
    (when .now (ev-set-now .now))
    (setq ev-answers (append .answers nil) ev-asked nil ev-notes (mapcar (lambda (x) x) (append .notes nil)))
    (condition-case err
        (let ((fn (intern-soft (concat "ev-verb/" .verb))) value)
          (unless fn (error "Unknown verb %s" .verb))
          (ev-goto .at)
          (setq ev-blocked nil value (funcall fn .args))
          (when ev-blocked (error "%s" ev-blocked))
          (ev-flush-log)
          (when ev-answers (error "No question for the answers %S" ev-answers))
          (ev-obj 'verb .verb
                  'value (and (or (stringp value) (vectorp value)
                                  (and (consp value) (consp (car value))))
                              (member .verb '("get-property" "refile-targets" "clock-sum" "export" "export-ics" "agenda" "todo-list"
                                              "tags-view" "search-view" "stuck" "custom" "match" "tag-names" "habit"
                                              "link" "icalendar" "date"))
                              value)))
      (error (ev-obj 'verb .verb 'error (error-message-string err))))))

(defun ev-run-case (call settings-file out-file)
  "Carry out the file CALL with settings, save, and write OUT-FILE."
  (let-alist call
    (ev-set-now (or .now "2026-03-10 14:30:00"))
    (setq ev-file (or .file "notes.org"))
    (setq org-directory ev-dir
          org-default-notes-file (expand-file-name "notes.org" ev-dir)
          org-agenda-files
          (sort (directory-files-recursively ev-dir "\\.org\\'") #'string<)
          org-id-locations-file (expand-file-name "id-locations" (getenv "HOME"))
          org-read-date-popup-calendar nil
          org-clock-persist nil
          org-clock-idle-time nil
          org-id-track-globally t)
    (dolist (s (and (file-exists-p settings-file) (ev-read settings-file)))
      (set (car s) (ev-lisp (cdr s))))
    (when (member "keys" (mapcar (lambda (c) (let-alist c .args.to)) .calls))
      (setq org-use-fast-todo-selection 'expert))
    (org-id-update-id-locations (directory-files-recursively ev-dir "\\.org\\(_archive\\)?\\'") t)
    (setq ev-id-count 0)
    (let (out)
      (dolist (c .calls) (push (ev-run-call c) out))
      (dolist (b (buffer-list))
        (with-current-buffer b
          (when (and buffer-file-name (buffer-modified-p) (not (buffer-base-buffer)))
            (let ((save-silently t)) (save-buffer)))))
      (with-temp-file out-file
        (set-buffer-file-coding-system 'utf-8-unix)
        (let ((json-encoding-pretty-print t) (json-encoding-default-indentation " "))
          (insert (json-encode (vconcat (nreverse out))) "\n"))))))

;; Between two cases everything is as it was at the start: no buffers, and
;; every variable of Org, of the calendar and of ours.
(defvar ev-pristine nil)
(defun ev-remember ()
  (mapatoms
   (lambda (s)
     (when (and (custom-variable-p s) (default-boundp s)
                (string-match-p "\\`\\(?:org\\|diary\\|calendar\\|indent-tabs\\)" (symbol-name s)))
       (let ((v (default-value s)))
         (push (cons s (if (and (proper-list-p v) v) (copy-tree v) v)) ev-pristine))))))
(defun ev-reset ()
  (when (org-clocking-p) (setq org-clock-leftover-time nil) (move-marker org-clock-marker nil))
  (dolist (b (buffer-list))
    (with-current-buffer b (set-buffer-modified-p nil))
    (unless (string-match-p "\\`\\(?: \\*Minibuf\\|\\*Messages\\*\\)" (buffer-name b))
      (let (kill-buffer-query-functions kill-buffer-hook) (kill-buffer b))))
  (dolist (p ev-pristine)
    (ignore-errors
      (unless (eq (default-value (car p)) (cdr p))
        (set-default (car p) (if (and (cdr p) (proper-list-p (cdr p))) (copy-tree (cdr p)) (cdr p))))))
  (dolist (m '(org-clock-marker org-clock-hd-marker org-clock-default-task org-clock-interrupted-task))
    (when (markerp (symbol-value m)) (move-marker (symbol-value m) nil)))
  (setq org-id-locations nil org-id-files nil abbreviated-home-dir nil ev-id-count 0
        org-clock-history nil org-refile-cache nil org-refile-history nil org-stored-links nil
        org-store-link-plist nil org-capture-initial nil org-log-setup nil org-log-note-how nil
        org-agenda-buffer nil org-agenda-last-arguments nil
        org-clock-current-task nil org-clock-start-time nil)
  (setq-default post-command-hook (remq 'org-add-log-note (default-value 'post-command-hook))))

;; Each line of the file EV_CASES: HOME, CALL, SETTINGS, OUT, TZ between tabs.
(ev-remember)
(dolist (line (with-temp-buffer (insert-file-contents (getenv "EV_CASES")) (split-string (buffer-string) "\n" t)))
    (let* ((f (split-string line "\t")) (home (nth 0 f)))
      (setenv "HOME" home) (setenv "TZ" (nth 4 f)) (set-time-zone-rule (nth 4 f))
      (ev-reset)
      (setq ev-dir (file-name-as-directory (expand-file-name "org" home)))
      (condition-case err
          (ev-run-case (ev-read (nth 1 f)) (nth 2 f) (nth 3 f))
        (error (with-temp-file (concat (nth 3 f) ".failed") (insert (error-message-string err) "\n"))))))
;;; emacs-verbs.el ends here
