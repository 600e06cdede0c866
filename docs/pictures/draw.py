#!/usr/bin/env python3
"""Draws the pictures of docs/trends.md and docs/hitters.md: python3 docs/pictures/draw.py

trend.svg: the counts of a page of docs/trends.md, hour by hour, with what was expected of each hour
by the mean of the five before and its Poisson interval. hitters.svg: keys of an epoch with their
estimates and bounds, and the threshold.
"""

from pathlib import Path

HERE = Path(__file__).parent
WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 720, 300, 60, 40, 20
INK, CALM, LOUD, BAND = "#57606a", "#0969da", "#cf222e", "#9ec5f0"

# Views an hour, and lower end, expectation and upper end where the hour is judged (millrace trends).
VIEWS = [45, 38, 41, 43, 49, 55, 54, 408, 437]
JUDGED = {5: (28.15, 43.20, 63.20), 6: (29.76, 45.20, 65.58), 7: (32.36, 48.40, 69.38), 8: (95.25, 121.80, 153.22)}

# Estimate, lower and upper bound in MB, share of the minute (an exporter that samples 1 in 1,000).
HITTERS = [("192.0.2.17", 310, 284, 336), ("198.51.100.4", 120, 104, 136), ("203.0.113.9", 64, 52, 76),
           ("192.0.2.80", 41, 31, 51), ("198.51.100.77", 22, 15, 29)]
THRESHOLD = 37


def picture(name, title, parts):
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
             f"<title>{title}</title>", f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>', *parts, "</svg>"]
    (HERE / name).write_text("\n".join(lines) + "\n")


def text(x, y, words, anchor="middle", colour=INK):
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" fill="{colour}">{words}</text>'


def line(x1, y1, x2, y2, colour=INK, dashes=""):
    dash = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"{dash}/>'


def trend():
    step = (WIDTH - LEFT - 20) / len(VIEWS)
    x = lambda hour: LEFT + step * (hour + 0.5)
    y = lambda count: HEIGHT - BOTTOM - count / 450 * (HEIGHT - BOTTOM - TOP)
    parts = [line(LEFT, y(0), WIDTH - 20, y(0))]
    for count in (0, 100, 200, 300, 400):
        parts.append(text(LEFT - 8, y(count) + 4, str(count), "end"))
    for hour, (lower, expected, upper) in JUDGED.items():
        parts.append(f'<rect x="{x(hour) - step / 2 + 2:.1f}" y="{y(upper):.1f}" width="{step - 4:.1f}" height="{y(lower) - y(upper):.1f}" fill="{BAND}"/>')
        parts.append(line(x(hour) - step / 2 + 2, y(expected), x(hour) + step / 2 - 2, y(expected), CALM))
    points = " ".join(f"{x(h):.1f},{y(c):.1f}" for h, c in enumerate(VIEWS))
    parts.append(f'<polyline points="{points}" fill="none" stroke="{INK}" stroke-width="2"/>')
    for hour, count in enumerate(VIEWS):
        rises = hour in JUDGED and count > JUDGED[hour][2]
        parts.append(f'<circle cx="{x(hour):.1f}" cy="{y(count):.1f}" r="5" fill="{LOUD if rises else INK}"/>')
        parts.append(text(x(hour), HEIGHT - BOTTOM + 18, f"{hour + 1:02d}:00"))
    parts.append(text(x(6), y(408) + 4, "rise, score 19.4", "middle", LOUD))
    parts.append(text(x(2), y(85), "five hours teach", "middle"))
    parts.append(text(x(4.7), y(85), "expected, with its interval", "middle", CALM))
    picture("trend.svg", "Views of a page an hour, what was expected, and two hours with a rise", parts)


def hitters():
    row = (HEIGHT - BOTTOM - TOP) / len(HITTERS)
    x = lambda megabytes: 130 + megabytes / 360 * (WIDTH - 160)
    parts = [line(x(0), TOP, x(0), HEIGHT - BOTTOM)]
    for i, (key, estimate, lower, upper) in enumerate(HITTERS):
        y = TOP + row * (i + 0.5)
        heavy = estimate >= THRESHOLD
        parts.append(text(122, y + 4, key, "end"))
        parts.append(f'<rect x="{x(0):.1f}" y="{y - row / 3:.1f}" width="{x(estimate) - x(0):.1f}" height="{2 * row / 3:.1f}" fill="{CALM if heavy else BAND}" fill-opacity="0.5"/>')
        parts.append(line(x(lower), y, x(upper), y, INK))
        parts += [line(x(end), y - 5, x(end), y + 5, INK) for end in (lower, upper)]
    parts.append(line(x(THRESHOLD), TOP - 8, x(THRESHOLD), HEIGHT - BOTTOM, LOUD, "4 3"))
    parts.append(text(x(THRESHOLD) + 4, HEIGHT - BOTTOM + 16, "threshold", "middle", LOUD))
    parts.append(text(WIDTH - 20, HEIGHT - BOTTOM + 16, "bytes of the minute, with lower and upper bound", "end"))
    picture("hitters.svg", "Keys of a minute by their bytes, with bounds, and the threshold that four of them reach", parts)


trend()
hitters()
