"""The five tables of an older script, brought into the three of ours (seed 001, P17 to P28).

`older` knows the tables, `known` what is here already, `translating` what a row becomes,
`moving` moves the rows in one transaction, `comparing` looks at them once more before it is
kept, `counting` asks the seed's two questions. Nothing else in the product names those tables.
"""

from __future__ import annotations
