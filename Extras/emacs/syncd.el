;;; syncd.el --- Watch and steer the syncd service  -*- lexical-binding: t; -*-

;; Author: The syncd authors
;; Version: 0.1
;; Package-Requires: ((emacs "27.1"))
;; Keywords: outlines, files, convenience
;; URL: https://github.com/syncd/syncd

;; This file is not part of GNU Emacs.  It is under the license of syncd.

;;; Commentary:

;; syncd syncs a folder of Org files with other places.  With
;; this package Emacs communicates with the service through its control socket:
;;
;;     (require 'syncd)
;;     (syncd-mode 1)
;;
;; - The mode line shows the state: `sync:ok', `sync:…' during a pass,
;;   `sync:paused', or the problem.
;; - A buffer that visits a file that the service has changed is reverted
;;   if you have not modified it; point does not move.
;; - Saving a file of the store runs a pass at once.
;; - `syncd-conflicts' lists open conflicts; RET on one opens ediff with the
;;   store's version, the remote's version, and the last common one.
;;
;; Safety does not depend on this package.  The service does not
;; overwrite a file that is modified in a buffer, because Emacs locks it.

;;; Code:

(require 'json)
(require 'subr-x)

(defgroup syncd nil
  "The syncd service, which keeps Org files in sync."
  :group 'files
  :prefix "syncd-")

(defcustom syncd-program "syncd"
  "The program, for operations that the control socket does not offer."
  :type 'string)

(defcustom syncd-settings nil
  "The settings file, or nil for syncd's default."
  :type '(choice (const :tag "As syncd finds it" nil) file))

(defcustom syncd-sync-after-save t
  "Non-nil if saving a file of the store runs a pass at once."
  :type 'boolean)

(defcustom syncd-reconnect-after 10
  "Seconds after which a lost connection to the service is retried."
  :type 'number)

(defface syncd-trouble '((t :inherit warning))
  "Face of the mode line for errors.")

(defvar syncd--connection nil
  "The connection on which the service reports every pass.")

(defvar syncd--timer nil
  "The timer that retries the connection to the service.")

(defvar syncd--results nil
  "The result of the last pass of each remote, as (NAME . RESULT).")

(defvar syncd--places nil
  "The absolute names of the store and of the state folder, as a cons.")

(defvar syncd--state 'away
  "The state of the service: `away', `ok', `busy', `paused' or a text.")

(defvar syncd-mode-line '(:eval (syncd--mode-line))
  "The mode line construct of `syncd-mode'.")
(put 'syncd-mode-line 'risky-local-variable t)

(defvar syncd-after-pass-hook nil
  "Run after each pass that the service reports.
Each function is called with the pass as an alist.")

;;; Running the program

(defun syncd--call (&rest words)
  "Run the program with WORDS and --json; return its decoded output.
A document counts whatever the exit status: that of `syncd status' says
how the remotes stand."
  (with-temp-buffer
    (let* ((output (list t (make-temp-file "syncd")))
           (status (apply #'call-process syncd-program nil output nil
                          (append words (syncd--options) '("--json"))))
           (complaint (with-temp-buffer
                        (insert-file-contents (cadr output))
                        (string-trim (buffer-string)))))
      (delete-file (cadr output))
      (cond
       ((> (buffer-size) 0)
        (let ((document (ignore-errors (syncd--decode (buffer-string)))))
          (if (stringp (alist-get 'error document)) (error "%s" complaint) document)))
       ((not (eq status 0)) (error "%s" complaint))))))

(defun syncd--options ()
  "Return the options that name the settings."
  (when syncd-settings
    (list "--settings" (expand-file-name syncd-settings))))

(defun syncd--decode (text)
  "Decode TEXT, a JSON document, into alists and lists."
  (json-parse-string text :object-type 'alist :array-type 'list
                     :null-object nil :false-object nil))

(defun syncd--places ()
  "Return the store and the state folder as a cons of absolute names."
  (or syncd--places
      (let ((status (syncd--call "status")))
        (setq syncd--places
              (cons (file-name-as-directory
                     (file-truename (alist-get 'store status)))
                    (file-name-as-directory (alist-get 'state status)))))))

(defun syncd--in-store-p (file)
  "Non-nil if FILE is in the store."
  (and file (file-in-directory-p file (car (syncd--places)))))

;;; Requests to the service

(defun syncd--connect (filter sentinel)
  "Connect to the service; FILTER and SENTINEL are the process's.
Return nil where no service runs."
  (let ((socket (expand-file-name "control" (cdr (syncd--places)))))
    (condition-case nil
        (make-network-process
         :name "syncd" :family 'local :service socket :noquery t
         :coding 'utf-8-unix :filter filter :sentinel sentinel)
      (file-error nil))))

(defun syncd--send (connection request)
  "Send REQUEST, an alist, over CONNECTION."
  (process-send-string connection (concat (json-encode request) "\n")))

(defun syncd--lines (handle)
  "Return a process filter that calls HANDLE with each decoded line."
  (let ((rest ""))
    (lambda (_process text)
      (setq rest (concat rest text))
      (while (string-match "\n" rest)
        (let ((line (substring rest 0 (match-beginning 0))))
          (setq rest (substring rest (match-end 0)))
          (funcall handle (syncd--decode line)))))))

(defun syncd--ask (request &optional handle)
  "Send REQUEST to the service; call HANDLE with the answer when it arrives."
  (let* ((connection nil)
         (filter (syncd--lines
                  (lambda (answer)
                    (delete-process connection)
                    (unless (eq (alist-get 'ok answer) t)
                      (message "syncd: %s" (alist-get 'error answer)))
                    (when handle (funcall handle answer))))))
    (setq connection (syncd--connect filter #'ignore))
    (unless connection
      (user-error "No syncd service runs; start it with `%s'" syncd-program))
    (syncd--send connection request)))

;;;###autoload
(defun syncd-sync ()
  "Run a pass with all remotes now."
  (interactive)
  (syncd--ask '((do . "sync"))
              (lambda (answer)
                (message "syncd: %s" (or (alist-get 'result answer)
                                         (alist-get 'error answer))))))

;;;###autoload
(defun syncd-pause ()
  "Pause the automatic passes of the service."
  (interactive)
  (syncd--ask '((do . "pause"))))

;;;###autoload
(defun syncd-resume ()
  "Resume the automatic passes of the service."
  (interactive)
  (syncd--ask '((do . "resume"))))

;;; Watching

(defun syncd--watch ()
  "Start listening to the service, or retry later."
  (setq syncd--timer nil)
  (unless (process-live-p syncd--connection)
    (setq syncd--connection
          (ignore-errors
            (syncd--connect (syncd--lines #'syncd--heard) #'syncd--gone)))
    (if syncd--connection
        (syncd--send syncd--connection '((do . "watch")))
      (syncd--set-state 'away)
      (syncd--seek-later))))

(defun syncd--seek-later ()
  "Retry the connection to the service after a while."
  (when (and (bound-and-true-p syncd-mode) (not syncd--timer))
    (setq syncd--timer
          (run-with-timer syncd-reconnect-after nil #'syncd--watch))))

(defun syncd--gone (_process _event)
  "Record that the service has closed the connection."
  (syncd--set-state 'away)
  (syncd--seek-later))

(defun syncd--heard (event)
  "Process EVENT, an alist that the service has sent."
  (pcase (alist-get 'event event)
    ("began" (syncd--set-state 'busy))
    ("paused" (syncd--set-state 'paused))
    ("resumed" (syncd--show-results))
    ("ended" (syncd--passed event))
    (_ (setq syncd--results nil)
       (syncd--note-results event)
       (if (eq (alist-get 'paused event) t)
           (syncd--set-state 'paused)
         (syncd--show-results)))))

(defun syncd--note-results (answer)
  "Remember the result of each remote in ANSWER."
  (dolist (remote (append (alist-get 'remotes answer) nil))
    (setf (alist-get (alist-get 'name remote) syncd--results nil nil #'equal)
          (alist-get 'result remote))))

(defun syncd--show-results ()
  "Show the first remote whose last pass needs attention, or that none does."
  (let ((bad (seq-find (lambda (result)
                         (not (member (cdr result)
                                      '(nil "synced" "waiting"))))
                       (reverse syncd--results))))
    (syncd--set-state (if bad (format "%s %s" (car bad) (cdr bad)) 'ok))))

(defun syncd--passed (pass)
  "Process a PASS: show its result, and revert the buffers that it changed."
  (syncd--note-results pass)
  (syncd--show-results)
  (dolist (remote (alist-get 'remotes pass))
    (dolist (action (alist-get 'actions remote))
      (when (and (member (alist-get 'to action) '("local" "both"))
                 (equal (alist-get 'result action) "done"))
        (syncd--revert (expand-file-name (alist-get 'path action)
                                         (car (syncd--places)))))))
  (run-hook-with-args 'syncd-after-pass-hook pass))

(defun syncd--revert (file)
  "Revert the buffer that visits FILE if it is unmodified."
  (when-let ((buffer (find-buffer-visiting file)))
    (with-current-buffer buffer
      (unless (or (buffer-modified-p)
                  (not (file-readable-p file))
                  (verify-visited-file-modtime buffer))
        (revert-buffer t t t)))))

(defun syncd--after-save ()
  "Run a pass if the buffer's file is in the store."
  (when (and syncd-sync-after-save
             (process-live-p syncd--connection)
             (ignore-errors (syncd--in-store-p buffer-file-name)))
    (ignore-errors (syncd--ask '((do . "sync"))))))

;;; The mode line

(defun syncd--set-state (state)
  "Set STATE and show it."
  (unless (equal state syncd--state)
    (setq syncd--state state)
    (force-mode-line-update t)))

(defun syncd--mode-line ()
  "Return the text of the mode line."
  (pcase syncd--state
    ('ok " sync:ok")
    ('busy " sync:…")
    ('paused (propertize " sync:paused" 'face 'syncd-trouble))
    ('away (propertize " sync:off" 'face 'syncd-trouble))
    (text (propertize (concat " sync:" text) 'face 'syncd-trouble))))

;;;###autoload
(define-minor-mode syncd-mode
  "Watch the syncd service: mode line, buffers, passes after saving."
  :global t
  (setq global-mode-string (or global-mode-string '("")))
  (when syncd--timer (cancel-timer syncd--timer))
  (setq syncd--timer nil
        syncd--places nil)
  (cond
   (syncd-mode
    (add-to-list 'global-mode-string 'syncd-mode-line t)
    (add-hook 'after-save-hook #'syncd--after-save)
    (syncd--watch))
   (t
    (setq global-mode-string (remq 'syncd-mode-line global-mode-string))
    (remove-hook 'after-save-hook #'syncd--after-save)
    (when (process-live-p syncd--connection)
      (set-process-sentinel syncd--connection #'ignore)
      (delete-process syncd--connection))
    (setq syncd--connection nil
          syncd--state 'away))))

;;; Conflicts

(defvar-local syncd--conflicts nil
  "The conflicts that a buffer lists.")

(define-derived-mode syncd-conflicts-mode tabulated-list-mode "Conflicts"
  "The open conflicts of syncd.
\\<syncd-conflicts-mode-map>\\[syncd-ediff] compares, \
\\[syncd-resolve] resolves one with the present file."
  (setq tabulated-list-format [("Remote" 12 t) ("File" 50 t) ("Since" 20 t)])
  (add-hook 'tabulated-list-revert-hook #'syncd--list-conflicts nil t)
  (tabulated-list-init-header))

(define-key syncd-conflicts-mode-map (kbd "RET") #'syncd-ediff)
(define-key syncd-conflicts-mode-map (kbd "r") #'syncd-resolve)

(defun syncd--list-conflicts ()
  "Fill the buffer with the open conflicts."
  (setq syncd--conflicts (alist-get 'conflicts (syncd--call "conflicts"))
        tabulated-list-entries
        (mapcar (lambda (conflict)
                  (list conflict
                        (vector (alist-get 'remote conflict)
                                (alist-get 'path conflict)
                                (or (alist-get 'since conflict) ""))))
                syncd--conflicts)))

;;;###autoload
(defun syncd-conflicts ()
  "List the open conflicts."
  (interactive)
  (pop-to-buffer (get-buffer-create "*syncd conflicts*"))
  (syncd-conflicts-mode)
  (syncd--list-conflicts)
  (tabulated-list-print))

(defun syncd--version (conflict side)
  "Return a buffer with the version of SIDE of CONFLICT, empty if there is none."
  (let ((path (alist-get 'path conflict))
        (digest (alist-get side conflict)))
    (with-current-buffer (generate-new-buffer (format "%s (%s)" path side))
      (when digest
        (let ((coding-system-for-read 'utf-8))
          (apply #'call-process syncd-program nil '(t nil) nil
                 (append (syncd--options)
                         (list "show" (concat (car (syncd--places)) path)
                               "--digest" digest)))))
      (goto-char (point-min))
      (when (string-suffix-p ".org" path)
        (delay-mode-hooks (org-mode)))
      (set-buffer-modified-p nil)
      (setq buffer-read-only t)
      (current-buffer))))

(defun syncd--conflict-at-point ()
  "Return the conflict at point."
  (or (tabulated-list-get-id) (user-error "No conflict here")))

(defun syncd-ediff (conflict)
  "Compare in ediff what both sides of CONFLICT had with the file as it is now.
Copy what you want into the file and save it; then `syncd-resolve' it."
  (interactive (list (syncd--conflict-at-point)))
  (ediff-buffers3
   (syncd--version conflict 'local) (syncd--version conflict 'remote-version)
   (find-file-noselect
    (concat (car (syncd--places)) (alist-get 'path conflict)))))

(defun syncd-resolve (conflict)
  "Resolve CONFLICT with the file as it is in the store now."
  (interactive (list (syncd--conflict-at-point)))
  (let ((file (concat (car (syncd--places)) (alist-get 'path conflict))))
    (syncd--call "resolve" file "--merged" file))
  (when (derived-mode-p 'syncd-conflicts-mode)
    (revert-buffer)))

(provide 'syncd)
;;; syncd.el ends here
