"""The texts that the tokenizer tests use, and how the generators beside this file write C++."""

TEXTS = [
    "",
    " ",
    "  ",
    "   ",
    "\n",
    "\n\n",
    "\r\n",
    "\t",
    " \n \n",
    "\n =",
    "a\r\n\r\n  b",
    "    indented\n\tcode()  {  }\n",
    "trailing   ",
    "   leading",
    "Hello, world!",
    "Hello World",
    " Hello",
    "The sea is",
    "바다 색깔은 파랗다.",
    "  바다는   넓다\n고양이에게 물을 준다",
    "안녕하세요? 뷁! ㅋㅋㅋ ㅠㅠ",
    "\u1107\u1161\u1103\u1161",  # 바다, decomposed
    "caf\u00e9 cafe\u0301",
    "Ⅷ ½ ² ٣٤٥ 一二三 １２３",
    "1 12 123 1234 12345 123456 1234567",
    "3.14159, 1,000,000 and 0x1F600",
    "2024년 12월 25일",
    "a1b22c333",
    "I'm you're it's we've they'll he'd don't",
    "I'M YOU'RE IT'S WE'VE THEY'LL HE'D DON'T",
    "'s's 'tis rock'n'roll ''' 'Sunday 'Lloyd",
    "O'Sullivan d'Arc WE'REady o'clock",
    "don\u2019t \u201cquote\u201d",
    "!!! ... ??? -- == <= => :: ;; @# $% ^& *()",
    "!\n!\n\n?\r\n",
    "   !\n  ?",
    "http://www.example.org/a_b-c?d=1&e=%20#f",
    "🚀 🇰🇷 👩\u200d👩\u200d👧\u200d👦 ❤\ufe0f 👍🏽",
    "word🚀word",
    "日本語のテキスト 中文文本",
    "Это тест। हिन्दी भाषा ภาษาไทย العربية",
    "e\u0301\u0302\u0303 \u0301x",
    "\u00a0nbsp\u00a0 \u3000全角\u2003em\u2028line\u2029paragraph",
    "zero\u200bwidth\ufeffjoin",
    "\x00\x01\x02 \x1b[31m \x7f \x85 \x9f",
    "\u0378\uffff\U000e0041\U0010ffff",  # unassigned, noncharacter, tag, the last code point
    "<s> </s> <unk> <0x41> <|im_end|> <|endoftext|>",
    "the theme of their other mother gathers there",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "ABCdefGHIjkl_mnoPQR-stu",
    "x = [i**2 for i in range(10)]  # squares",
]


def literal(text: str) -> str:
    """A string_view literal; what cannot be seen is written in octal."""
    out = ""
    for char in text:
        plain = char.isprintable() and not 0x300 <= ord(char) < 0x370 and not 0x1100 <= ord(char) < 0x1200
        if char in '"\\':
            out += "\\" + char
        elif plain and char != "?":  # "??=" would be a trigraph
            out += char
        else:
            out += "".join(f"\\{byte:03o}" for byte in char.encode())
    return f'"{out}"sv'

