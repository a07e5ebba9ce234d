"""Microphones of one device, made from a seed. A case's kind is where they stand, and what there is to hear:

    pair     two, 6 cm apart: a laptop
    line     four in a line, 4 cm apart: a larger laptop, a television
    ring     six in a circle of 9 cm: a conference phone

    diffuse  the near end alone, noise from everywhere 5 to 10 dB below
    aside    the near end alone, somebody else talks 60 degrees aside, 5 to 10 dB below
    echo     the far end alone, from a loudspeaker 10 to 25 cm from the microphones
    talk     the same, both talk from 5 s on
    moved    as diffuse; the near end walks by 60 to 100 degrees half way
    dead     as diffuse; one of the microphones dies half way

Microphones differ by up to 6 dB, and each has noise of its own, 45 dB below. mic.wav has a channel for each; near.wav
is the near end, with the room's echo of it, as the first of them hears it. Rooms are made by image sources, noise from
everywhere with the coherence of a spherically diffuse field (Habets, Cohen and Gannot, "Generating nonstationary
multisensor signals under a spatial coherence constraint", 2008).
"""

import numpy as np
import pyroomacoustics
from scipy.signal import fftconvolve

import cases
import situations
import sound
from kinds import ARRAY_SCENES, ARRAYS, SHAPES
from sound import RATE

FIRST_ARRAY = 600  # the number of the first one; near ends count from 300
SECONDS = 12
FRAMES = SECONDS * RATE
HALF = SECONDS // 2  # s, when something moves or dies
BOTH_FROM = 5  # s
OWN_NOISE_DB = 45
SPEED = 343  # m/s
NOISE_ALONE = ("diffuse", "moved", "dead")


def positions(shape):
    """Returns where the microphones are relative to their middle, in m: (microphones, 3)."""
    if shape == "ring":
        angles = np.arange(6) * np.pi / 3
        return 0.045 * np.stack([np.cos(angles), np.sin(angles), np.zeros(6)], axis=1)
    count, spacing = (2, 0.06) if shape == "pair" else (4, 0.04)
    places = (np.arange(count) - (count - 1) / 2) * spacing
    return np.stack([places, np.zeros(count), np.zeros(count)], axis=1)


def draw(kind, index, seed):
    """Draws the properties of the case `index` of a kind."""
    shape, scene = kind.split("-")
    seed += 1_000 * (FIRST_ARRAY + 10 * SHAPES.index(shape) + ARRAY_SCENES.index(scene)) + 10 * index
    random = np.random.default_rng(seed)
    between = random.uniform
    count = len(positions(shape))
    case = {"name": f"{kind}{index}", "kind": kind, "seed": seed, "shape": shape, "scene": scene}
    case |= {
        "rt60": round(between(0.18, 0.4), 2),  # s
        "dist": round(between(0.4, 1.0), 2),  # m from talker to microphones
        "angle": round(between(30, 150)),  # degrees from the line of the microphones; 90 is before it
        "gains_db": [round(between(-3, 3), 1) for _ in range(count)],
        "event": BOTH_FROM if scene == "talk" else HALF,
    }
    if scene in ("echo", "talk"):
        case |= {
            "speaker_dist": round(between(0.1, 0.25), 2),
            "delay_ms": int(between(5, 120)),
            "ser_db": round(between(-10, 0), 1),
        }
    else:
        case["noise_db"] = round(between(5, 10), 1)
    if scene == "moved":
        case["moved_by"] = int(random.choice([-1, 1]) * between(60, 100))
    if scene == "dead":
        case["dies"] = int(random.integers(count))
    return case


def around(middle, degrees, distance, height=0.0):
    """Returns the place at an angle from the line of the microphones, in their plane but for `height`."""
    angle = np.radians(degrees)
    return middle + distance * np.array([np.cos(angle), np.sin(angle), height])


def paths(case, random, places):
    """Returns the room's responses from each of `places`, a function of the microphones' middle: a list of
    (microphones, taps)."""
    room = np.array([random.uniform(3, 7), random.uniform(3.5, 6), random.uniform(2.4, 3.2)])
    absorption, reflections = pyroomacoustics.inverse_sabine(case["rt60"], room)
    material = pyroomacoustics.Material(absorption)
    box = pyroomacoustics.ShoeBox(room, fs=RATE, materials=material, max_order=min(reflections, sound.MOST_REFLECTIONS))
    middle = room * [random.uniform(0.4, 0.6), random.uniform(0.2, 0.35), 0.4]
    for place in places(middle):
        box.add_source(np.clip(place, 0.1, room - 0.1))
    box.add_microphone_array((middle + positions(case["shape"])).T)
    box.compute_rir()
    found = []
    for source in range(len(box.sources)):
        heard = [response[source] for response in box.rir]
        length = max(map(len, heard))
        found.append(np.stack([np.pad(response, (0, length - len(response))) for response in heard]))
    return found


def heard(samples, path):
    """Returns a source as each microphone hears it: (microphones, FRAMES)."""
    return fftconvolve(samples[None], path, axes=1)[:, :FRAMES]


def diffuse_noise(random, shape):
    """Returns noise, pink above 100 Hz, of sound.LEVEL in each microphone, from all directions alike."""
    where = positions(shape)
    count = len(where)
    distances = np.linalg.norm(where[:, None] - where[None], axis=2)
    spectra = np.stack([np.fft.rfft(sound.noise(random, FRAMES, 0)) for _ in range(count)], axis=1)
    frequencies = np.fft.rfftfreq(FRAMES, 1 / RATE)
    mixed = np.empty_like(spectra)
    for begin in range(0, len(frequencies), 20_000):
        part = slice(begin, begin + 20_000)
        coherence = np.sinc(2 * frequencies[part, None, None] * distances / SPEED) + 1e-6 * np.eye(count)
        mixed[part] = np.einsum("fij,fj->fi", np.linalg.cholesky(coherence), spectra[part])
    return np.fft.irfft(mixed, FRAMES, axis=0).T


def noise_of(case, random, voices, other):
    """Returns what disturbs the near end: (microphones, FRAMES)."""
    if case["scene"] == "aside":
        noise = heard(sound.speech(voices[2], random, FRAMES), other)
    else:
        noise = diffuse_noise(random, case["shape"])
    return noise * sound.LEVEL * sound.decibels(-case["noise_db"]) / np.sqrt(sound.power(noise[0]))


def echo_of(case, far, path):
    """Returns the echo: (microphones, FRAMES)."""
    delay = int(case["delay_ms"] * RATE / 1_000)
    late = np.concatenate([np.zeros(delay), far])[:FRAMES]
    echo = heard(late, path)
    return echo * sound.LEVEL * sound.decibels(-case["ser_db"]) / np.sqrt(sound.power(echo[0]))


def build(case):
    """Returns the case's sounds by name."""
    random = np.random.default_rng(case["seed"])
    voices = list(sound.VOICES)
    random.shuffle(voices)
    scene, angle = case["scene"], case["angle"]

    def places(middle):
        later = angle + case.get("moved_by", 0)
        aside = angle + (60 if angle < 90 else -60)
        speaker = middle + case.get("speaker_dist", 0.2) * np.array([0.3, 0.6, -0.74])
        yield around(middle, angle, case["dist"], 0.2)
        yield around(middle, later, case["dist"], 0.2)
        yield around(middle, aside, 1.3, 0.2)
        yield speaker

    before, after, other, speaker = paths(case, random, places)
    near = np.zeros((len(before), FRAMES))
    if scene != "echo":
        said = sound.speech(voices[1], random, FRAMES, lead=BOTH_FROM if scene == "talk" else 0.3)
        near = heard(said, before)
        if scene == "moved":
            moved = np.clip((np.arange(FRAMES) - HALF * RATE) / (0.5 * RATE), 0, 1)
            near = near * (1 - moved) + heard(said, after) * moved
        near *= sound.LEVEL / np.sqrt(sound.power(near[0]))
    far = np.zeros(FRAMES)
    if scene in ("echo", "talk"):
        far = sound.speech(voices[0], random, FRAMES)
        mic = near + echo_of(case, far, speaker)
    else:
        mic = near + noise_of(case, random, voices, other)
    mic *= sound.decibels(np.array(case["gains_db"]))[:, None]
    mic += np.stack([sound.noise(random, FRAMES, OWN_NOISE_DB) for _ in mic])
    if scene == "dead":
        mic[case["dies"], HALF * RATE :] = 0
    fitted = situations.fitting(np.concatenate([*mic, near[0]]))
    return {"far": (far * situations.fitting(far))[:, None], "mic": mic.T * fitted, "near": near[0] * fitted}


def best(case):
    """Returns the number, from 1, of the microphone that hears best: the loudest that does not die."""
    gains = [gain if number != case.get("dies") else -100 for number, gain in enumerate(case["gains_db"])]
    return int(np.argmax(gains)) + 1


def make_all(folder, seed, per_kind, kinds=ARRAYS, workers=None):
    """Makes those cases of a seed that do not exist yet; returns the descriptions of all."""
    drawn = [draw(kind, index, seed) for kind in kinds for index in range(per_kind)]
    return cases.make_missing(folder, drawn, build, workers)
