#!/usr/bin/env python3
"""Makes a simulated conversation of any length, such as an hour: far.wav (stereo), mic.wav and near.wav, and a record
of each second.

Both sides take turns and talk at once; there is music; the laptop is moved, the loudspeaker's volume changed, the
device switched (the delay jumps); nobody talks for minutes; the microphone is muted (zeros) or clips; the clocks drift.
It is made second by second, so that an hour takes no more memory than a minute.
"""

import csv
import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import soundfile
from scipy import fft
from scipy.signal import fftconvolve

import sound
from script import PROBE_SECONDS, Script

RATE = sound.RATE
HEADROOM = 0.5
SATURATION = 0.25
NOISE_BELOW_DB = 42
CLIPPING_GAIN = sound.decibels(14)
REVERBERATION, DISTANCE = 0.35, 0.7  # s, m
ROOMS_KEPT = 3
TAPS, PHASES = 32, 512
# Length of the delay line for the echo. The microphone lags by half the length of the interpolator.
HISTORY_SECONDS = 2


class Talker:
    """A voice that says one sentence after another while asked to; `start` begins a new sentence."""

    def __init__(self, voices, random):
        self.voices, self.random = voices, random
        self.rest = np.zeros(0)

    def start(self):
        self.rest = np.zeros(0)

    def second(self):
        while len(self.rest) < RATE:
            voice = self.voices[self.random.integers(len(self.voices))]
            pause = np.zeros(int(self.random.uniform(0.15, 0.5) * RATE))
            self.rest = np.concatenate([self.rest, sound.levelled(sound.sentence(voice, self.random)), pause])
        spoken, self.rest = self.rest[:RATE], self.rest[RATE:]
        return spoken


class Player:
    """Music, 15 s of each piece in turn; the shortest piece has 17 s."""

    PIECE = 15

    def __init__(self, random):
        self.random = random
        self.start()

    def start(self):
        self.rest = np.zeros((2, 0))

    def second(self):
        if self.rest.shape[1] < RATE:
            make = sound.full_band_music if self.random.random() < 0.5 else sound.music
            self.rest = make(self.random, self.PIECE * RATE)
        played, self.rest = self.rest[:, :RATE], self.rest[:, RATE:]
        return played


def spectrum(response):
    """Returns the spectrum, for `Filter`, of an impulse response of at most a second."""
    return fft.rfft(response[:RATE], 2 * RATE)


class Filter:
    """Convolves second by second (overlap-save)."""

    def __init__(self):
        self.before = np.zeros(RATE)

    def through(self, samples, *spectra):
        """Returns the output for each of the responses."""
        both = fft.rfft(np.concatenate([self.before, samples]))
        self.before = samples
        return [fft.irfft(both * response)[RATE:] for response in spectra]


class Rooms:
    """Returns the spectra of both loudspeakers' responses by number of the place, all equally loud for speech."""

    def __init__(self, seed, speech):
        self.seed, self.speech, self.kept = seed, speech, {}

    def spectra(self, number):
        if number not in self.kept:
            if len(self.kept) >= ROOMS_KEPT:
                del self.kept[next(iter(self.kept))]
            random = np.random.default_rng([self.seed, number])
            found = [response[:RATE] for response in sound.responses(random, REVERBERATION, DISTANCE, 2)]
            heard = sound.saturated(self.speech, SATURATION)
            level = np.sqrt(sound.power(sum(fftconvolve(heard, response)[: len(heard)] for response in found)))
            self.kept[number] = [spectrum(response * sound.LEVEL / level) for response in found]
        return self.kept[number]


class Delay:
    """A fractional delay that moves as the clocks drift, and jumps."""

    def __init__(self):
        self.history = np.zeros(HISTORY_SECONDS * RATE)
        centre = np.arange(TAPS) - TAPS // 2 + 1
        offsets = centre[None] - np.arange(PHASES + 1)[:, None] / PHASES
        self.taps = np.sinc(offsets) * np.kaiser(TAPS + 2, 9)[1:-1]

    def through(self, samples, begin_ms, end_ms):
        """Returns the next second, delayed by begin_ms at its start and nearly end_ms at its end; both at least 1."""
        self.history = np.concatenate([self.history[RATE:], samples])
        places = (
            len(self.history)
            - RATE
            + np.arange(RATE)
            - np.linspace(begin_ms, end_ms, RATE, endpoint=False) * RATE / 1_000
        )
        whole = np.floor(places).astype(int)
        phase = np.rint((places - whole) * PHASES).astype(int)
        frames = np.lib.stride_tricks.sliding_window_view(self.history, TAPS)
        return np.einsum("ij,ij->i", frames[whole - TAPS // 2 + 1], self.taps[phase])


class Simulation:
    """Makes the sound of a script, a second at a time."""

    def __init__(self, script, seed):
        self.script = script
        self.random = np.random.default_rng([seed, 1])
        voices = list(sound.VOICES)
        self.random.shuffle(voices)
        self.far_talker = Talker(voices[:2], self.random)
        self.near_talker = Talker(voices[2:3], self.random)
        self.player = Player(self.random)
        self.rooms = Rooms(
            seed, sound.levelled(np.concatenate([sound.sentence(voices[0], self.random) for _ in range(3)]))
        )
        self.loudspeakers = [Filter(), Filter()]
        self.delay, self.near_path, self.noise_path = Delay(), Filter(), Filter()
        near_room = sound.responses(np.random.default_rng([seed, 2]), 0.25, 0.5)[0]
        self.near_room = spectrum(near_room / np.sqrt(np.sum(near_room**2)))
        pink = sound.noise(np.random.default_rng([seed, 4]), RATE, NOISE_BELOW_DB) / np.sqrt(RATE)
        self.noise_shape = spectrum(pink)
        self.probe_seed = [seed, 3]
        self.last_world = script.seconds[0].world

    def play(self, number):
        """Returns the far end, (2, RATE), and the near end, (RATE,), of that second."""
        second = self.script.seconds[number]
        if number in self.script.probes.values():  # both probes say the same words
            for source in (self.far_talker, self.near_talker):
                source.random = np.random.default_rng(self.probe_seed)
                source.start()
        before = self.script.seconds[number - 1] if number else None
        if before is None or before.far != second.far:
            self.far_talker.start()
            self.player.start()
        near = self.near_talker.second() if second.near else np.zeros(RATE)
        if not second.near:
            self.near_talker.start()
        if second.far == "music":
            return self.player.second(), near
        if second.far:
            voice = self.far_talker.second()
            return np.stack([voice, voice * (0.3 if second.far == "left" else 1.0)]), near
        return np.zeros((2, RATE)), near

    def echo(self, far, world):
        """Returns the echo in that second. A move and a change of volume take 0.3 s, a jump no time."""
        before, self.last_world = self.last_world, world
        played = [sound.saturated(channel, SATURATION) for channel in far]
        turn = np.clip(np.arange(RATE) / (0.3 * RATE), 0, 1)
        old_room, new_room = self.rooms.spectra(before.room), self.rooms.spectra(world.room)
        echo = np.zeros(RATE)
        for loudspeaker, channel, old, new in zip(self.loudspeakers, played, old_room, new_room, strict=True):
            if before.room == world.room:
                echo += loudspeaker.through(channel, new)[0]
            else:
                of_old, of_new = loudspeaker.through(channel, old, new)
                echo += of_old * (1 - turn) + of_new * turn
        echo *= sound.decibels(before.volume_db) * (1 - turn) + sound.decibels(world.volume_db) * turn
        return self.delay.through(echo, world.delay_ms, world.delay_ms + world.drift_ppm / 1_000)

    def second(self, number):
        """Returns (far, mic, near) of that second."""
        world = self.script.seconds[number].world
        far, spoken = self.play(number)
        near = self.near_path.through(spoken, self.near_room)[0]
        noise = self.noise_path.through(self.random.normal(size=RATE), self.noise_shape)[0]
        mic = HEADROOM * (self.echo(far, world) + near + noise)
        if world.clipped:
            mic *= CLIPPING_GAIN
        if world.muted:
            mic = np.zeros(RATE)
        return far.T * HEADROOM, np.clip(mic, -1, 1), near * HEADROOM


def make(folder, seed, length):
    """Writes FOLDER/{far,mic,near}.wav, seconds.csv and events.json, unless they exist; returns the script."""
    folder = Path(folder)
    script = Script(seed, length)
    done = folder / "events.json"
    if done.exists():
        return script
    folder.mkdir(parents=True, exist_ok=True)
    simulation = Simulation(script, seed)
    files = [
        soundfile.SoundFile(folder / f"{name}.wav", "w", RATE, channels, "PCM_16")
        for name, channels in (("far", 2), ("mic", 1), ("near", 1))
    ]
    with files[0], files[1], files[2], (folder / "seconds.csv").open("w", newline="") as table:
        writer = csv.writer(table, lineterminator="\n")
        world = asdict(script.seconds[0].world)
        writer.writerow(["second", "scene", "far", "near", *world])
        for number, second in enumerate(script.seconds):
            for file, samples in zip(files, simulation.second(number), strict=True):
                file.write(samples.astype(np.float32))
            writer.writerow([number, second.scene, second.far, int(second.near), *asdict(second.world).values()])
    done.write_text(json.dumps([asdict(event) for event in script.events], indent=1))
    return script


def probe_seconds(script, name):
    return range(script.probes[name], script.probes[name] + PROBE_SECONDS)
