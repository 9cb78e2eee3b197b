"""Users' scripts: mypy and pyright check them, and ``tests/test_typing.py`` runs them.

``assert_type`` says what a person expects. Where a line is wrong, ``type: ignore`` says
that both type checkers notice; it stands under ``TYPE_CHECKING``, as it cannot run.
"""
