"""The acceptance tests by number: what users of other systems asked for or reported.

Each test bears its number (`test_n01_…`), its docstring says the right behaviour. Where they are:

- `test_decisions`: 1 to 12. `test_returns`: 13 to 28. `test_people`: 29 to 40.
- `test_take_back`: 41 to 44. `test_operations`: 45 to 56. `test_time`: 57 to 67.
- `test_forms`: 68, 71 to 76. `test_preview`: 69, 70, 77.
- `test_versions`: 78, 79, 85 to 92. `test_moving`: 80 to 84.
- `bug_reports` is the table of the bug reports with their proofs, which are in
  `test_bug_reports`, `test_bug_reports_rest` and elsewhere.

Of 9, 71 and 72 the part that a designer or a page shows is proved in `tests/browser` and by the
shared vectors (`tests/vectors`). 90 calls a finished request that is put on file archived: its
record is taken out whole, and it leaves the running lists; its rows stay.
"""
