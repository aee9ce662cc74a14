"""The acceptance tests by number: what users of other systems asked for or reported.

Each test bears its number (`test_n01_…`), its docstring says the right behaviour. Where they are:

- `test_decisions`: 1 to 12. `test_returns`: 13 to 28. `test_people`: 29 to 40.
- `test_take_back`: 41 to 44. `test_operations`: 45 to 56. `test_time`: 57 to 67.
- `test_forms`: 68, 71 to 76. `test_preview`: 69, 70, 77.
- `test_versions`: 78, 85 to 92. `test_moving`: 80 to 84.
- `bug_reports` is the table of the bug reports with their proofs, which are in
  `test_bug_reports`, `test_bug_reports_rest` and elsewhere.

What cannot be proved yet, because it is not built: the callbacks of 26, 52 and 66 (that a failed
`http` step is seen by the initiator is proved); 79, and what 31 and 39 say of drafts; offering an
earlier opinion as a prefill (27; that it is never submitted silently is proved); a page that
shows the form as it was at a past step (76; the history has it); archiving (90); a designer that
shows the words of 9 and 71 and hides the button of 72 (the engine, the REST interface and the
checks are proved).
"""
