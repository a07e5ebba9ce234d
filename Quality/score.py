#!/usr/bin/env python3
"""Scores processed microphones: score.py CASES NAME=FOLDER... [--rows] [--kinds st,dt] [--no-pesq]

FOLDER/<case>.wav is a program's output for CASES/<case>/mic.wav, at 48 kHz. Prints a line for each kind and program:
the mean over its cases, and the worst case; measures.py explains the columns. Scores are kept in FOLDER/scores.json,
and reused while the files are the same. --no-pesq leaves out the measure that takes most of the time.
"""

import argparse
import hashlib
import json
import multiprocessing
import os
import sys
from pathlib import Path

import numpy as np

import array_score
import measures
import near_end_score
import passages
import recognizer
import recording_score
import recordings
from kinds import ARRAYS, NEAR_ENDS, SITUATIONS
from measures import SPEECH_RATE
from opinion import EchoOpinion, NoiseOpinion

WORST = ("echo", "deg", "stoi", "erle", "first", "back", "noise", "ovrl")
KEPT = "scores.json"
worker = {}


def read_cases(folder):
    """Returns the descriptions in FOLDER/cases.json."""
    return json.loads((Path(folder) / "cases.json").read_text())


def digest(paths, of=b""):
    """Returns a digest of the files' contents, continuing a given one."""
    found = hashlib.sha256(of)
    for path in paths:
        found.update(Path(path).read_bytes())
    return found.hexdigest()


def opinion(of, *parameters):
    """Returns the one of AECMOS or DNSMOS that this process has loaded."""
    key = of, parameters
    if key not in worker:
        worker[key] = of(*parameters)
    return worker[key]


def truth_of(folder, case):
    """Returns a digest of everything but the program's output that a case's measures depend on."""
    sources = [measures.__file__, sys.modules[EchoOpinion.__module__].__file__]
    names = ("far", "mic", "near")
    if "recorded" in case:
        sources += [recording_score.__file__, recordings.__file__]
        names = recordings.parts(case)
    elif case["kind"] in SITUATIONS:
        sources += [passages.__file__, f"{folder}/{case['name']}/case.json"]
    elif case["kind"] in NEAR_ENDS:
        sources += [near_end_score.__file__, recognizer.__file__, f"{folder}/{case['name']}/case.json"]
    elif case["kind"] in ARRAYS:
        sources += [array_score.__file__, near_end_score.__file__, f"{folder}/{case['name']}/case.json"]
    paths = [recordings.find_part(f"{folder}/{case['name']}", name) for name in names]
    return digest(sources + paths, recordings.scenario(case).encode() if "recorded" in case else b"")


def scene_of(folder, case, with_pesq):
    """Returns the case, ready to score."""
    if "recorded" in case:
        return recording_score.ScoredRecording(folder, case, opinion(EchoOpinion, SPEECH_RATE))
    if case["kind"] in SITUATIONS:
        return passages.ScoredSituation(folder, case, opinion(EchoOpinion))
    if case["kind"] in NEAR_ENDS:
        return near_end_score.ScoredNearEnd(folder, case, opinion(NoiseOpinion))
    opinions = opinion(EchoOpinion), opinion(NoiseOpinion)
    if case["kind"] in ARRAYS:
        return array_score.ScoredArray(folder, case, *opinions)
    return measures.ScoredCase(folder, case["name"], case["kind"], *opinions, with_pesq)


def score_case(job):
    """Scores every program's file for one case: [(program, digest, measures)]."""
    folder, case, files, kept, with_pesq = job
    truth = truth_of(folder, case)
    scored, scene = [], None
    for program, path in files.items():
        now = digest([path], truth.encode())
        before = kept.get(program, {})
        if before.get("digest") == now and (not with_pesq or before["with_pesq"]):
            scored.append((program, before))
            continue
        scene = scene or scene_of(folder, case, with_pesq)
        scored.append((program, {"digest": now, "with_pesq": with_pesq, "measures": scene.score(path)}))
    return case["name"], scored


def score(folder, programs, cases, with_pesq=True, workers=None):
    """Scores {program: folder}; returns {program: [a row for each case]}: its measures, name and kind."""
    wanted = [Path(where) / f"{case['name']}.wav" for where in programs.values() for case in cases]
    missing = [path for path in wanted if not path.exists()]
    if missing:
        raise FileNotFoundError(
            f"{missing[0]} is missing" + (f", and {len(missing) - 1} more" if len(missing) > 1 else "")
        )
    kept = {program: read_kept(where) for program, where in programs.items()}
    jobs = []
    for case in cases:
        files = {program: f"{where}/{case['name']}.wav" for program, where in programs.items()}
        jobs.append(
            (
                str(folder),
                case,
                files,
                {program: kept[program].get(case["name"], {}) for program in programs},
                with_pesq,
            )
        )
    with multiprocessing.Pool(workers or os.cpu_count()) as pool:
        found = dict(pool.imap_unordered(score_case, jobs))
    table = {program: [] for program in programs}
    for case in cases:
        for program, entry in found[case["name"]]:
            kept[program][case["name"]] = entry
            table[program].append({"name": case["name"], "kind": case["kind"]} | entry["measures"])
    for program, where in programs.items():
        write_kept(where, kept[program])
    return table


def read_kept(where):
    try:
        return json.loads((Path(where) / KEPT).read_text())
    except (OSError, ValueError):
        return {}


def write_kept(where, kept):
    whole = Path(where) / f".{KEPT}.{os.getpid()}"
    whole.write_text(json.dumps(kept))
    whole.replace(Path(where) / KEPT)


def worst(rows, measure):
    pick = max if measure in measures.LESS_IS_BETTER else min
    return pick(row[measure] for row in rows)


def columns(values):
    """Returns one column for each measure; {} leaves all empty."""
    return "".join(f"{values[name]:8.2f}" if name in values else " " * 8 for name in measures.MEASURES)


def print_table(table, rows_too=False):
    print(f"{'kind':9}{'program':16}" + "".join(f"{name:>8}" for name in measures.MEASURES) + "   worst")
    kinds = dict.fromkeys(row["kind"] for rows in table.values() for row in rows)
    for kind in kinds:
        for program, all_rows in table.items():
            rows = [row for row in all_rows if row["kind"] == kind]
            means = {name: np.mean([row[name] for row in rows]) for name in measures.MEASURES if name in rows[0]}
            of_worst = " ".join(f"{name} {worst(rows, name):.2f}" for name in WORST if name in means)
            print(f"{kind:9}{program:16}{columns(means)}   {of_worst}")
    if rows_too:
        for program, rows in table.items():
            for row in rows:
                print(f"{program:16}{row['name']:10}{columns(row)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases")
    parser.add_argument("programs", nargs="+", metavar="NAME=FOLDER")
    parser.add_argument("--rows", action="store_true", help="every case by itself, too")
    parser.add_argument("--kinds", type=lambda text: text.split(","), help="only these kinds")
    parser.add_argument("--no-pesq", action="store_true")
    options = parser.parse_args()
    programs = dict(program.split("=", 1) for program in options.programs)
    cases = [case for case in read_cases(options.cases) if not options.kinds or case["kind"] in options.kinds]
    print_table(score(options.cases, programs, cases, not options.no_pesq), options.rows)


if __name__ == "__main__":
    main()
