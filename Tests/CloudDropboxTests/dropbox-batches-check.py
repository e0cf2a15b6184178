#!/usr/bin/env python3
"""Drives the batch routes of a Dropbox-API-v2 server with the official SDK, beside dropbox-sdk-check.py.

  dropbox-batches-check.py --base http://127.0.0.1:PORT [--token T]

Exit 0 if everything holds; the last line says how many checks passed.
"""
import argparse, importlib.util, os, time

here = os.path.dirname(os.path.abspath(__file__))
spec = importlib.util.spec_from_file_location("sdkcheck", os.path.join(here, "dropbox-sdk-check.py"))
sdkcheck = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sdkcheck)
from dropbox import Dropbox, files  # noqa: E402
from dropbox.exceptions import ApiError  # noqa: E402

CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def end_of(job, ask):
    """the result of a batch, which may take a while"""
    while job.is_async_job_id():
        status = ask(job.get_async_job_id())
        if not status.is_in_progress():
            return status.get_complete()
        time.sleep(0.05)
    return job.get_complete()


def cursor(session, offset=0):
    return files.UploadSessionCursor(session, offset)


@check
def many_files_arrive_in_three_calls(dbx, top):
    texts = [b"one\n", b"two two\n", b"x" * 5000]
    sessions = dbx.files_upload_session_start_batch(len(texts)).session_ids
    assert len(set(sessions)) == len(texts)
    entries = [files.UploadSessionAppendBatchArgEntry(cursor(s), len(t), True) for s, t in zip(sessions, texts)]
    body = b"".join(texts)
    ends = dbx.files_upload_session_append_batch(body, entries, content_hash=sdkcheck.content_hash(body)).entries
    assert all(end.is_success() for end in ends), ends
    commits = [files.UploadSessionFinishArg(cursor(s, len(t)), files.CommitInfo("%s/%d.org" % (top, i)))
               for i, (s, t) in enumerate(zip(sessions, texts))]
    done = dbx.files_upload_session_finish_batch_v2(commits).entries
    assert all(end.is_success() for end in done), done
    for i, text in enumerate(texts):
        assert dbx.files_download("%s/%d.org" % (top, i))[1].content == text
        assert done[i].get_success().content_hash == sdkcheck.content_hash(text)


@check
def files_are_moved_in_one_call_and_each_end_is_in_its_place(dbx, top):
    for name in ("a", "b"):
        dbx.files_upload(name.encode(), "%s/moves/%s.org" % (top, name))
    job = dbx.files_move_batch_v2(
        [files.RelocationPath("%s/moves/%s.org" % (top, old), "%s/moves/%s.org" % (top, new))
         for old, new in (("a", "new/c"), ("missing", "d"), ("b", "new/c"))], autorename=False)
    assert job.is_async_job_id(), job
    ends = end_of(job, dbx.files_move_batch_check_v2).entries
    assert ends[0].is_success() and ends[0].get_success().path_display.endswith("/new/c.org"), ends
    assert ends[0].get_success().content_hash == sdkcheck.content_hash(b"a"), ends
    assert ends[1].get_failure().get_relocation_error().is_from_lookup(), ends
    assert ends[2].get_failure().get_relocation_error().is_to(), ends
    assert dbx.files_download("%s/moves/b.org" % top)[1].content == b"b"


@check
def a_wrong_entry_of_an_append_is_told_in_its_place(dbx, top):
    sessions = dbx.files_upload_session_start_batch(2).session_ids
    entries = [files.UploadSessionAppendBatchArgEntry(cursor(sessions[0], 3), 1, True),
               files.UploadSessionAppendBatchArgEntry(cursor(sessions[1]), 1, True),
               files.UploadSessionAppendBatchArgEntry(cursor("nobody's"), 1, True)]
    ends = dbx.files_upload_session_append_batch(b"abc", entries).entries
    assert ends[0].get_failure().get_incorrect_offset().correct_offset == 0, ends[0]
    assert ends[1].is_success() and ends[2].get_failure().is_not_found(), ends


@check
def a_damaged_append_is_refused(dbx, top):
    session = dbx.files_upload_session_start_batch(1).session_ids[0]
    entry = files.UploadSessionAppendBatchArgEntry(cursor(session), 1, True)
    try:
        dbx.files_upload_session_append_batch(b"x", [entry], content_hash="0" * 64)
    except ApiError as error:
        assert error.error.is_content_hash_mismatch(), error
    else:
        raise AssertionError("damaged bytes were taken")


@check
def a_batch_deletes_what_has_the_rev(dbx, top):
    old = dbx.files_upload(b"a", top + "/stale.org")
    new = dbx.files_upload(b"b", top + "/stale.org", mode=files.WriteMode.overwrite)
    good = dbx.files_upload(b"c", top + "/good.org")
    assert old.rev != new.rev
    entries = [files.DeleteArg(top + "/stale.org", old.rev), files.DeleteArg(top + "/good.org", good.rev),
               files.DeleteArg(top + "/missing.org", good.rev)]
    ends = end_of(dbx.files_delete_batch(entries), dbx.files_delete_batch_check).entries
    assert ends[0].get_failure().is_path_write(), ends[0]
    assert ends[1].get_success().metadata.rev == good.rev, ends[1]
    assert ends[2].get_failure().get_path_lookup().is_not_found(), ends[2]
    assert dbx.files_download(top + "/stale.org")[1].content == b"b"


@check
def a_batch_makes_folders(dbx, top):
    job = dbx.files_create_folder_batch([top + "/new", top + "/new"])
    ends = end_of(job, dbx.files_create_folder_batch_check).entries
    assert ends[0].get_success().metadata.name == "new", ends
    assert ends[1].get_failure().get_path().get_conflict().is_folder(), ends


@check
def a_job_nobody_started_is_unknown(dbx, top):
    try:
        dbx.files_delete_batch_check("job-nobody")
    except ApiError as error:
        assert error.error.is_invalid_async_job_id(), error
    else:
        raise AssertionError("a job that was never started has an end")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--base", required=True)
    parser.add_argument("--token", default="test-token")
    options = parser.parse_args()
    dbx = Dropbox(options.token, session=sdkcheck.Rerouted(options.base), max_retries_on_error=0)
    failed = 0
    for number, function in enumerate(CHECKS):
        try:
            function(dbx, "/batches-%d" % number)
            print("pass  " + function.__name__)
        except Exception as error:
            failed += 1
            print("fail  %s  %s: %s" % (function.__name__, type(error).__name__, error))
    print("%d passed, %d failed" % (len(CHECKS) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
