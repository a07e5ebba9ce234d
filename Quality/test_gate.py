#!/usr/bin/env python3
"""Tests of the quick gate: what it fails for, and what it says then; and of the command line."""

import io
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

import gate
from options import arguments

BEFORE = {"st0": {"echo": 4.8, "erle": 60.0}, "clipped0": {"stoi 0..12": 0.9}}


def reached(**changed):
    return {case: dict(known) | changed.get(case, {}) for case, known in BEFORE.items()}


class Gate(unittest.TestCase):
    def check(self, figures):
        said = []
        path = Path(self.enterContext(tempfile.TemporaryDirectory())) / "gate.json"
        gate.write(BEFORE, path)
        with mock.patch.object(gate, "read", lambda: gate.json.loads(path.read_text())), redirect_stdout(io.StringIO()):
            return gate.check(figures, said.append), said

    def test_what_is_as_good_as_before_or_a_little_worse_passes(self):
        self.assertEqual(self.check(reached()), (0, []))
        self.assertEqual(self.check(reached(st0={"echo": 4.76, "erle": 57.5}, clipped0={"stoi 0..12": 0.895})), (0, []))

    def test_what_is_worse_fails_and_case_measure_figure_and_bar_are_said(self):
        status, said = self.check(reached(st0={"erle": 56.9}))
        self.assertEqual(status, 1)
        self.assertRegex(said[0], r"st0 +erle +56\.900 dB, at least 57\.000 dB: MISSED")
        status, said = self.check(reached(clipped0={"stoi 0..12": 0.88}))
        self.assertEqual(status, 1)
        self.assertRegex(said[0], r"clipped0 +stoi 0\.\.12 +0\.880, at least 0\.890: MISSED")

    def test_cases_that_the_file_does_not_know_fail_and_ask_for_it_to_be_written(self):
        for figures in ({"st0": BEFORE["st0"]}, reached() | {"dt0": {"echo": 4.0}}, reached(st0={"deg": 4.0})):
            status, said = self.check(figures)
            self.assertEqual(status, 1)
            self.assertIn("--quick --write", said[0])

    def test_the_stored_figures_are_of_the_gates_cases(self):
        names = {f"{kind}{index}" for kind, index in (gate.CASES | gate.SITUATIONS).items()}
        self.assertEqual(set(gate.read()), names)


class CommandLine(unittest.TestCase):
    def refused(self, *given):
        said = io.StringIO()
        with redirect_stderr(said), self.assertRaises(SystemExit):
            arguments("", given)
        return said.getvalue()

    def test_each_family_has_its_programs_and_its_folder(self):
        self.assertEqual(arguments("", ["--quick"]).out.name, "quick")
        options = arguments("", ["--recordings", "/some/voices/"])
        self.assertEqual(options.out.name, "recordings-voices")
        self.assertIn("isolation", options.programs)
        self.assertEqual(arguments("", ["--seed", "7"]).out.name, "seed-7")

    def test_what_does_not_go_together_is_refused(self):
        self.assertIn("--quick has its own cases", self.refused("--quick", "--kinds", "st"))
        self.assertIn("--recordings has the kinds", self.refused("--recordings", "x", "--kinds", "st"))
        self.assertIn("--spread goes with", self.refused("--modes", "--spread"))
        self.assertIn("not allowed with", self.refused("--quick", "--situations"))


if __name__ == "__main__":
    unittest.main()
