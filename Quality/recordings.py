"""A folder of recordings of real devices: what it has to hold, and what is read of it.

    meta.json                 a list of recordings: {"name": "laptop_st", "kind": "st", "device": "a laptop"}, ...
    cases/<name>/mic.flac     what the microphone recorded
    cases/<name>/far.flac     what was sent to the loudspeaker
    cases/<name>/near.flac    who talked at the near end, without echo; only where meta.json says "near": true

The sound may also be .wav, of any rate from 8 kHz on. A kind says who talks: st (only the far end), nst (only the near
end); with any other, such as dt or music, both do. stmove and dtmove, in which something is moved, are shown as st and
as dt+move. "device" and "repo", where the recording is published, are shown where they are given.
"""

import hashlib
import json
from pathlib import Path

import soundfile

LEAST_RATE = 8_000  # Hz
SUFFIXES = (".flac", ".wav")
TEXTS = ("kind", "device", "repo")
GROUPS = {"stmove": "st", "dtmove": "dt+move"}
SCENARIOS = {"st": "st", "stmove": "st", "nst": "nst"}


class BadRecordings(Exception):
    """The folder is not as it has to be; says which file or field, and why."""


def find_part(case, name):
    """Returns the path of a case's sound, such as mic, whichever its suffix; None if there is none."""
    paths = (Path(case) / f"{name}{suffix}" for suffix in SUFFIXES)
    return next((path for path in paths if path.is_file()), None)


def parts(case):
    """Returns the names of the sounds that a recording has."""
    return ("far", "mic", "near") if case["near"] else ("far", "mic")


def scenario(case):
    """Returns what AECMOS is told of who talks: st, nst or dt."""
    return SCENARIOS.get(case["recorded"], "dt")


def read(folder):
    """Returns the recordings' descriptions, checked; raises BadRecordings.

    `kind` is the group that they are shown in, `recorded` what meta.json calls it, `digest` that of their sound.
    """
    folder = Path(folder)
    listed = read_list(folder / "meta.json")
    cases = [checked(folder, number, entry) for number, entry in enumerate(listed, 1)]
    names = [case["name"] for case in cases]
    for number, name in enumerate(names):
        if name in names[:number]:
            raise BadRecordings(f'{folder / "meta.json"}: two recordings have the "name" "{name}"')
    return cases


def read_list(path):
    try:
        listed = json.loads(path.read_text())
    except OSError as error:
        raise BadRecordings(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise BadRecordings(f"{path} is no JSON: {error}") from error
    if not isinstance(listed, list) or not listed:
        raise BadRecordings(f"{path} is no list of recordings")
    return listed


def checked(folder, number, entry):
    """Returns the description of one recording."""
    where = f"{folder / 'meta.json'}, recording {number}"
    if not isinstance(entry, dict):
        raise BadRecordings(f"{where}: {json.dumps(entry)} is no object")
    name = entry.get("name")
    if not isinstance(name, str) or not name or name.startswith(".") or "/" in name:
        raise BadRecordings(f'{where}: "name" has to be that of a folder in cases, and is {json.dumps(name)}')
    where += f", {name}"
    for field in TEXTS:
        if not isinstance(entry.get(field, "" if field != "kind" else None), str):
            raise BadRecordings(f'{where}: "{field}" has to be a text, and is {json.dumps(entry.get(field))}')
    if not isinstance(entry.get("near", False), bool):
        raise BadRecordings(f'{where}: "near" has to be true or false, and is {json.dumps(entry["near"])}')
    case = {"name": name, "kind": GROUPS.get(entry["kind"], entry["kind"]), "recorded": entry["kind"]}
    case |= {field: entry[field] for field in TEXTS[1:] if entry.get(field)} | {"near": entry.get("near", False)}
    return case | {"digest": check_sound(folder / "cases" / name, parts(case))}


def check_sound(case, names):
    """Returns the digest of a recording's files."""
    digest = hashlib.sha256()
    for name in names:
        path = find_part(case, name)
        if path is None:
            raise BadRecordings(f"{case / name}.flac is missing, and so is {name}.wav")
        try:
            sound = soundfile.info(path)
        except soundfile.LibsndfileError as error:
            raise BadRecordings(f"{path} cannot be read: {error.error_string}") from error
        if sound.samplerate < LEAST_RATE or not sound.frames:
            raise BadRecordings(f"{path} has {sound.frames} frames at {sound.samplerate} Hz: 8 kHz is the least")
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
