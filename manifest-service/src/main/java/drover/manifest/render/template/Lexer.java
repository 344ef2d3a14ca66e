package drover.manifest.render.template;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Cuts a template into tokens. Trim markers and comments are gone afterwards; spaces inside actions
 * stay, because Go separates operands by them.
 */
final class Lexer {
    private static final String OPEN = "{{";
    private static final String CLOSE = "}}";
    private static final Set<String> KEYWORDS =
            Set.of(
                    "if",
                    "else",
                    "end",
                    "range",
                    "with",
                    "block",
                    "break",
                    "continue",
                    "define",
                    "nil",
                    "template");

    private final SourceText source;
    private final List<Token> tokens = new ArrayList<>();
    private int at;
    private boolean trimNext;
    private int openParentheses;

    private Lexer(String text) {
        source = new SourceText(text);
    }

    static List<Token> tokenize(String text) {
        Lexer lexer = new Lexer(text);
        lexer.scan();
        return lexer.tokens;
    }

    private void scan() {
        while (true) {
            int open = source.indexOf(OPEN, at);
            addText(open < 0 ? source.length() : open, open >= 0 && hasTrimMarker(open));
            if (open < 0) {
                addToken(Token.Kind.END, "", at);
                return;
            }
            int inside = open + OPEN.length() + (hasTrimMarker(open) ? 2 : 0);
            if (source.startsWith("/*", inside)) {
                skipComment(open, inside);
            } else {
                addToken(Token.Kind.OPEN, OPEN, open);
                at = open + OPEN.length() + (hasTrimMarker(open) ? 1 : 0);
                scanAction(open);
            }
        }
    }

    private boolean hasTrimMarker(int open) {
        return source.charAt(open + 2) == '-' && SourceText.isSpace(source.charAt(open + 3));
    }

    private void addText(int end, boolean trimEnd) {
        String text = source.slice(at, end);
        text = trimNext ? SourceText.withoutLeadingSpace(text) : text;
        text = trimEnd ? SourceText.withoutTrailingSpace(text) : text;
        if (!text.isEmpty()) {
            addToken(Token.Kind.TEXT, text, at);
        }
        at = end;
    }

    private void skipComment(int open, int inside) {
        int end = source.indexOf("*/", inside + 2);
        if (end < 0) {
            throw error(open, "This comment is not closed: end it with '*/}}'.");
        }
        at = end + 2;
        if (!skipCloseIfPresent()) {
            throw error(at, "A comment must be alone in its braces: write '}}' behind '*/'.");
        }
    }

    /** Takes the closing braces, with or without a trim marker, if they are here. */
    private boolean skipCloseIfPresent() {
        if (SourceText.isSpace(source.charAt(at)) && source.startsWith("-" + CLOSE, at + 1)) {
            trimNext = true;
            at += 2 + CLOSE.length();
            return true;
        }
        if (source.startsWith(CLOSE, at)) {
            trimNext = false;
            at += CLOSE.length();
            return true;
        }
        return false;
    }

    private void scanAction(int open) {
        openParentheses = 0;
        while (true) {
            int start = at;
            if (skipCloseIfPresent()) {
                if (openParentheses > 0) {
                    throw error(start, "A parenthesis is not closed: write ')' before '}}'.");
                }
                addToken(Token.Kind.CLOSE, CLOSE, start);
                return;
            }
            if (at >= source.length()) {
                throw error(open, "This action is not closed: write '}}' behind it.");
            }
            scanToken();
        }
    }

    private void scanToken() {
        char c = source.charAt(at);
        if (SourceText.isSpace(c)) {
            scanSpace();
        } else if (c == '"') {
            scanQuotedString();
        } else if (c == '`') {
            scanRawString();
        } else if (c == '$') {
            int end = wordEnd(at + 1);
            addTerminatedToken(Token.Kind.VARIABLE, end, source.slice(at, end));
        } else if (startsNumber()) {
            scanNumber();
        } else if (c == '.') {
            scanFieldOrDot();
        } else if (SourceText.isWordCharacter(c)) {
            scanWord();
        } else {
            scanSymbol(c);
        }
    }

    private void scanSpace() {
        int start = at;
        while (SourceText.isSpace(source.charAt(at))) {
            at++;
        }
        if (source.startsWith("-" + CLOSE, at)) {
            at--; // the last space belongs to the trim marker
        }
        if (at > start) {
            addToken(Token.Kind.SPACE, " ", start);
        }
    }

    private void scanQuotedString() {
        int end = at + 1;
        while (source.charAt(end) != '"') {
            if (end >= source.length() || source.charAt(end) == '\n') {
                throw error(at, "This string is not closed: write '\"' behind it.");
            }
            end += source.charAt(end) == '\\' ? 2 : 1;
        }
        String raw = source.slice(at + 1, end);
        addToken(Token.Kind.STRING, LiteralParser.unquote(raw, source.position(at)), at);
        at = end + 1;
    }

    private void scanRawString() {
        int end = source.indexOf("`", at + 1);
        if (end < 0) {
            throw error(at, "This string is not closed: write '`' behind it.");
        }
        // Go drops carriage returns from raw strings in its own files, not in templates.
        addToken(Token.Kind.STRING, source.slice(at + 1, end), at);
        at = end + 1;
    }

    private boolean startsNumber() {
        char c = source.charAt(at);
        char next = source.charAt(at + 1);
        return isDigit(c)
                || (c == '.' && isDigit(next))
                || ((c == '+' || c == '-') && (isDigit(next) || next == '.'));
    }

    private void scanNumber() {
        int end = at + 1;
        while (SourceText.isWordCharacter(source.charAt(end))
                || source.charAt(end) == '.'
                || isExponentSign(end)) {
            end++;
        }
        addTerminatedToken(Token.Kind.NUMBER, end, source.slice(at, end));
    }

    private boolean isExponentSign(int offset) {
        char before = source.charAt(offset - 1);
        return (source.charAt(offset) == '+' || source.charAt(offset) == '-')
                && (before == 'e' || before == 'E');
    }

    private void scanFieldOrDot() {
        int end = wordEnd(at + 1);
        if (end == at + 1) {
            addTerminatedToken(Token.Kind.DOT, end, ".");
        } else {
            addTerminatedToken(Token.Kind.FIELD, end, source.slice(at + 1, end));
        }
    }

    private void scanWord() {
        int end = wordEnd(at);
        String word = source.slice(at, end);
        Token.Kind kind =
                KEYWORDS.contains(word)
                        ? Token.Kind.KEYWORD
                        : word.equals("true") || word.equals("false")
                                ? Token.Kind.BOOLEAN
                                : Token.Kind.IDENTIFIER;
        addTerminatedToken(kind, end, word);
    }

    private void scanSymbol(char c) {
        int start = at;
        at++;
        switch (c) {
            case '|' -> addToken(Token.Kind.PIPE, "|", start);
            case '=' -> addToken(Token.Kind.ASSIGN, "=", start);
            case ',' -> addToken(Token.Kind.COMMA, ",", start);
            case '(' -> {
                openParentheses++;
                addToken(Token.Kind.LEFT_PARENTHESIS, "(", start);
            }
            case ')' -> {
                openParentheses--;
                if (openParentheses < 0) {
                    throw error(start, "There is no '(' for this ')'.");
                }
                addToken(Token.Kind.RIGHT_PARENTHESIS, ")", start);
            }
            case ':' -> {
                if (source.charAt(at) != '=') {
                    throw error(start, "Write ':=' to declare a variable.");
                }
                at++;
                addToken(Token.Kind.DECLARE, ":=", start);
            }
            default -> throw error(start, "'" + c + "' has no meaning here.");
        }
    }

    /** Go lets nothing but these follow a name or a number directly. */
    private void addTerminatedToken(Token.Kind kind, int end, String text) {
        char next = source.charAt(end);
        boolean ends =
                end >= source.length()
                        || SourceText.isSpace(next)
                        || ".,|:)(".indexOf(next) >= 0
                        || source.startsWith(CLOSE, end)
                        || (next == '=' && kind == Token.Kind.VARIABLE);
        if (!ends) {
            throw error(end, "'" + next + "' cannot follow '" + text + "' directly.");
        }
        addToken(kind, text, at);
        at = end;
    }

    private int wordEnd(int from) {
        int end = from;
        while (SourceText.isWordCharacter(source.charAt(end))) {
            end++;
        }
        return end;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private void addToken(Token.Kind kind, String text, int offset) {
        tokens.add(new Token(kind, text, source.position(offset)));
    }

    private TemplateError error(int offset, String sentence) {
        return TemplateError.syntax(source.position(offset), sentence);
    }
}
