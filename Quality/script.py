"""The script of a simulated conversation: who talks when, and which events occur; a function of seed and length."""

from dataclasses import dataclass, replace

import numpy as np

PROBE_SECONDS = 60
LEAST_SECONDS = 300
MOST_DELAY_MS, LEAST_DELAY_MS = 250, 30
MOST_DRIFT = 100  # parts per million
SCENES = ("turns", "both", "music", "move", "volume", "jump", "pause", "mute", "clip", "drift")


@dataclass(frozen=True)
class World:
    """State that stays the same until an event changes it."""

    room: int = 0  # which of the rooms' responses
    delay_ms: float = 80.0
    volume_db: float = 0.0
    drift_ppm: float = 0.0
    muted: bool = False
    clipped: bool = False


@dataclass(frozen=True)
class Second:
    """One second; far is "", "centre", "left" or "music"."""

    scene: str
    far: str
    near: bool
    world: World

    @property
    def far_alone(self):
        return bool(self.far) and not self.near

    @property
    def both(self):
        return bool(self.far) and self.near


@dataclass(frozen=True)
class Event:
    """An event at the beginning of a second; `lasted`: its length in seconds, if this is its end."""

    second: int
    kind: str
    detail: str


class Script:
    """Seconds and events. The second and the last minute are alike, word by word; `probes` has their first seconds."""

    def __init__(self, seed, length):
        if length < LEAST_SECONDS:
            raise ValueError(f"a conversation takes at least {LEAST_SECONDS} seconds")
        self.random = np.random.default_rng(seed)
        self.length = length
        self.world = World(drift_ppm=float(self.random.integers(20, MOST_DRIFT) * self.random.choice([-1, 1])))
        self.seconds, self.events = [], []
        self.probe("start")
        self.probe("first")
        coming = []
        while self.left() > 0:
            if not coming:
                coming = list(self.random.permutation(SCENES))
            getattr(self, coming.pop())()
        last = length - PROBE_SECONDS
        self.events = [event for event in self.events if event.second < last - 8]
        del self.seconds[last:]
        self.world = replace(self.seconds[-1].world, volume_db=0.0, muted=False, clipped=False)
        self.probe("last")
        self.probes = {"first": PROBE_SECONDS, "last": last}

    def left(self):
        """Returns the seconds until the last minute."""
        return self.length - PROBE_SECONDS - len(self.seconds)

    def say(self, scene, count, far="", near=False):
        """Continues for `count` seconds; the delay moves as the clocks drift."""
        for _ in range(int(count)):
            self.seconds.append(Second(scene, far, near, self.world))
            delay = self.world.delay_ms + self.world.drift_ppm / 1_000
            self.world = replace(self.world, delay_ms=delay)
            if not LEAST_DELAY_MS < delay < MOST_DELAY_MS:
                away = 1 if delay <= LEAST_DELAY_MS else -1
                self.world = replace(self.world, drift_ppm=away * abs(self.world.drift_ppm))

    def happens(self, kind, detail, **changes):
        self.events.append(Event(len(self.seconds), kind, detail))
        self.world = replace(self.world, **changes)

    def some(self, least, most):
        return int(self.random.integers(least, most + 1))

    def place(self):
        return "left" if self.random.random() < 0.3 else "centre"

    def probe(self, name):
        self.say(f"{name} minute", 20, "centre")
        self.say(f"{name} minute", 10, "", near=True)
        self.say(f"{name} minute", 20, "centre", near=True)
        self.say(f"{name} minute", 5, "centre")
        self.say(f"{name} minute", 5, "", near=True)

    def turns(self):
        for _ in range(self.some(2, 3)):
            self.say("turns", self.some(4, 8), self.place())
            self.say("turns", self.some(4, 8), "", near=True)

    def both(self):
        place = self.place()
        self.say("both", 4, place)
        length = self.some(10, 20)
        self.happens("both talk", f"for {length} s")
        self.say("both", length, place, near=True)
        self.say("both", 8, place)

    def music(self):
        self.happens("music", "stereo; the near end talks after 10 s")
        self.say("music", 10, "music")
        self.say("music", self.some(10, 16), "music", near=True)
        self.say("music", 4)

    def change(self, scene, detail, **changes):
        """Adds an event while the far end talks alone."""
        place = self.place()
        self.say(scene, 6, place)
        self.happens(scene, detail, **changes)
        self.say(scene, 9, place)

    def move(self):
        self.change("move", "the echo's path changes", room=self.world.room + 1)

    def volume(self):
        new = float(self.random.choice([level for level in (-9, -6, -3, 0, 3) if level != self.world.volume_db]))
        self.change("volume", f"from {self.world.volume_db:+.0f} to {new:+.0f} dB", volume_db=new)

    def jump(self):
        by = 45 if self.world.delay_ms < (LEAST_DELAY_MS + MOST_DELAY_MS) / 2 else -45
        self.change(
            "jump", f"the echo comes {abs(by)} ms {'later' if by > 0 else 'sooner'}", delay_ms=self.world.delay_ms + by
        )

    def drift(self):
        new = float(self.random.integers(-MOST_DRIFT, MOST_DRIFT + 1))
        self.change("drift", f"from {self.world.drift_ppm:+.0f} to {new:+.0f} ppm", drift_ppm=new)
        self.say("drift", 6, "centre")

    def pause(self):
        length = min(self.some(60, 180), max(15, self.length // 20))
        self.say("pause", length)
        self.happens("pause ends", f"after {length} s without a word")
        self.say("pause", 9, self.place())

    def mute(self):
        place, length = self.place(), self.some(15, 40)
        self.say("mute", 6, place)
        self.world = replace(self.world, muted=True)
        self.say("mute", length // 2, place)
        self.say("mute", length - length // 2, place, near=True)
        self.happens("mute ends", f"after {length} s of zeros", muted=False)
        self.say("mute", 9, place)

    def clip(self):
        place = self.place()
        self.say("clip", 5, place)
        self.happens("clip", "the microphone, 14 dB too loud, clips for 12 s", clipped=True)
        self.say("clip", 6, place)
        self.say("clip", 6, place, near=True)
        self.happens("clip ends", "", clipped=False)
        self.say("clip", 9, place)
