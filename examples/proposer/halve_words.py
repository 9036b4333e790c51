#!/usr/bin/env python3
"""A proposer for dwindle: offers the best with one long word cut in half."""
import json
import re
import sys

for line in sys.stdin:
    best = json.loads(line)
    if best["dwindle"] != 1:
        sys.exit("this proposer speaks version 1 of the protocol")
    for file in best["files"]:
        text = file.get("text", "")  # bytes that are no text come as "base64"
        for word in re.finditer(r"\w{4,}", text):
            middle = (word.start() + word.end()) // 2
            shorter = text[:middle] + text[word.end():]
            change = {"path": file["path"], "text": shorter}
            print(json.dumps({"best": best["best"], "files": [change]}))
    print(json.dumps({"best": best["best"], "done": True}), flush=True)
