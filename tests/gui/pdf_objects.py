"""Texts and lines of a PDF, as PDFium reads them."""

import ctypes

import pypdfium2.raw as raw


def objects(page):
    """The sizes of the texts of a page, and the widths of its lines, in points."""
    sizes, widths = [], []
    for each in page.get_objects():
        a, b, c, d, _, _ = each.get_matrix().get()
        scale = abs(a * d - b * c) ** 0.5
        number = ctypes.c_float()
        if each.type == raw.FPDF_PAGEOBJ_TEXT:
            raw.FPDFTextObj_GetFontSize(each.raw, number)
            sizes.append(number.value * scale)
        elif each.type == raw.FPDF_PAGEOBJ_PATH:
            fill, stroked = ctypes.c_int(), ctypes.c_int()
            raw.FPDFPath_GetDrawMode(each.raw, fill, stroked)
            raw.FPDFPageObj_GetStrokeWidth(each.raw, number)
            widths += [number.value * scale] if stroked.value else []
    return sizes, widths
