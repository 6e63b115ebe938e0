"""Anchors of headings, as the hosts of git repositories make them: links are the same there and on the site."""
import re


def slugify(text, separator):
    return re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", separator)
