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

    static List<Token> tokens(String text) {
        Lexer lexer = new Lexer(text);
        lexer.scan();
        return lexer.tokens;
    }

    private void scan() {
        while (true) {
            int open = source.indexOf(OPEN, at);
            text(open < 0 ? source.length() : open, open >= 0 && trimsBefore(open));
            if (open < 0) {
                add(Token.Kind.END, "", at);
                return;
            }
            int inside = open + OPEN.length() + (trimsBefore(open) ? 2 : 0);
            if (source.startsWith("/*", inside)) {
                comment(open, inside);
            } else {
                add(Token.Kind.OPEN, OPEN, open);
                at = open + OPEN.length() + (trimsBefore(open) ? 1 : 0);
                action(open);
            }
        }
    }

    private boolean trimsBefore(int open) {
        return source.charAt(open + 2) == '-' && SourceText.isSpace(source.charAt(open + 3));
    }

    private void text(int end, boolean trimEnd) {
        String text = source.slice(at, end);
        text = trimNext ? SourceText.withoutLeadingSpace(text) : text;
        text = trimEnd ? SourceText.withoutTrailingSpace(text) : text;
        if (!text.isEmpty()) {
            add(Token.Kind.TEXT, text, at);
        }
        at = end;
    }

    private void comment(int open, int inside) {
        int end = source.indexOf("*/", inside + 2);
        if (end < 0) {
            throw error(open, "This comment is not closed: end it with '*/}}'.");
        }
        at = end + 2;
        if (!close()) {
            throw error(at, "A comment must be alone in its braces: write '}}' behind '*/'.");
        }
    }

    /** Takes the closing braces, with or without a trim marker, if they are here. */
    private boolean close() {
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

    private void action(int open) {
        openParentheses = 0;
        while (true) {
            int start = at;
            if (close()) {
                if (openParentheses > 0) {
                    throw error(start, "A parenthesis is not closed: write ')' before '}}'.");
                }
                add(Token.Kind.CLOSE, CLOSE, start);
                return;
            }
            if (at >= source.length()) {
                throw error(open, "This action is not closed: write '}}' behind it.");
            }
            token();
        }
    }

    private void token() {
        char c = source.charAt(at);
        if (SourceText.isSpace(c)) {
            space();
        } else if (c == '"') {
            quoted();
        } else if (c == '`') {
            rawString();
        } else if (c == '$') {
            int end = wordEnd(at + 1);
            terminated(Token.Kind.VARIABLE, end, source.slice(at, end));
        } else if (startsNumber()) {
            number();
        } else if (c == '.') {
            fieldOrDot();
        } else if (SourceText.isWord(c)) {
            word();
        } else {
            mark(c);
        }
    }

    private void space() {
        int start = at;
        while (SourceText.isSpace(source.charAt(at))) {
            at++;
        }
        if (source.startsWith("-" + CLOSE, at)) {
            at--; // the last space belongs to the trim marker
        }
        if (at > start) {
            add(Token.Kind.SPACE, " ", start);
        }
    }

    private void quoted() {
        int end = at + 1;
        while (source.charAt(end) != '"') {
            if (end >= source.length() || source.charAt(end) == '\n') {
                throw error(at, "This string is not closed: write '\"' behind it.");
            }
            end += source.charAt(end) == '\\' ? 2 : 1;
        }
        String raw = source.slice(at + 1, end);
        add(Token.Kind.STRING, Literals.unquote(raw, source.position(at)), at);
        at = end + 1;
    }

    private void rawString() {
        int end = source.indexOf("`", at + 1);
        if (end < 0) {
            throw error(at, "This string is not closed: write '`' behind it.");
        }
        // Go drops carriage returns from raw strings in its own files, not in templates.
        add(Token.Kind.STRING, source.slice(at + 1, end), at);
        at = end + 1;
    }

    private boolean startsNumber() {
        char c = source.charAt(at);
        char next = source.charAt(at + 1);
        return isDigit(c)
                || (c == '.' && isDigit(next))
                || ((c == '+' || c == '-') && (isDigit(next) || next == '.'));
    }

    private void number() {
        int end = at + 1;
        while (SourceText.isWord(source.charAt(end))
                || source.charAt(end) == '.'
                || isExponentSign(end)) {
            end++;
        }
        terminated(Token.Kind.NUMBER, end, source.slice(at, end));
    }

    private boolean isExponentSign(int offset) {
        char before = source.charAt(offset - 1);
        return (source.charAt(offset) == '+' || source.charAt(offset) == '-')
                && (before == 'e' || before == 'E');
    }

    private void fieldOrDot() {
        int end = wordEnd(at + 1);
        if (end == at + 1) {
            terminated(Token.Kind.DOT, end, ".");
        } else {
            terminated(Token.Kind.FIELD, end, source.slice(at + 1, end));
        }
    }

    private void word() {
        int end = wordEnd(at);
        String word = source.slice(at, end);
        Token.Kind kind =
                KEYWORDS.contains(word)
                        ? Token.Kind.KEYWORD
                        : word.equals("true") || word.equals("false")
                                ? Token.Kind.BOOLEAN
                                : Token.Kind.IDENTIFIER;
        terminated(kind, end, word);
    }

    private void mark(char c) {
        int start = at;
        at++;
        switch (c) {
            case '|' -> add(Token.Kind.PIPE, "|", start);
            case '=' -> add(Token.Kind.ASSIGN, "=", start);
            case ',' -> add(Token.Kind.COMMA, ",", start);
            case '(' -> {
                openParentheses++;
                add(Token.Kind.LEFT_PARENTHESIS, "(", start);
            }
            case ')' -> {
                openParentheses--;
                if (openParentheses < 0) {
                    throw error(start, "There is no '(' for this ')'.");
                }
                add(Token.Kind.RIGHT_PARENTHESIS, ")", start);
            }
            case ':' -> {
                if (source.charAt(at) != '=') {
                    throw error(start, "Write ':=' to declare a variable.");
                }
                at++;
                add(Token.Kind.DECLARE, ":=", start);
            }
            default -> throw error(start, "'" + c + "' has no meaning here.");
        }
    }

    /** Go lets nothing but these follow a name or a number directly. */
    private void terminated(Token.Kind kind, int end, String text) {
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
        add(kind, text, at);
        at = end;
    }

    private int wordEnd(int from) {
        int end = from;
        while (SourceText.isWord(source.charAt(end))) {
            end++;
        }
        return end;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private void add(Token.Kind kind, String text, int offset) {
        tokens.add(new Token(kind, text, source.position(offset)));
    }

    private TemplateError error(int offset, String sentence) {
        return TemplateError.syntax(source.position(offset), sentence);
    }
}
