"""The fixture `acp_recorder`: a recorder whose test fails where a message breaks the protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Generator, List

import pytest

import acpcheck


class TestRecorder(acpcheck.Recorder):
    """The recorder of a test. What it has recorded is checked when the body of the test has passed."""

    __test__ = False

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        #: Options of `acpcheck check`. Those of `--fail-on` say what fails the test.
        self.options: List[str] = ["--fail-on", "error,unjudged"]


@pytest.fixture
def acp_recorder(tmp_path: Path) -> TestRecorder:
    """Records connections of this test. The test fails where they have findings."""
    return TestRecorder(tmp_path / "acp")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: Any) -> Generator[None, Any, Any]:
    __tracebackhide__ = True
    result = yield
    recorder = getattr(item, "funcargs", {}).get("acp_recorder")
    if isinstance(recorder, TestRecorder) and recorder.connections:
        text = acpcheck.failure(recorder, recorder.options)
        if text is not None:
            pytest.fail(text, pytrace=False)
    return result
