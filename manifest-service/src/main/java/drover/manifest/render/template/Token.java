package drover.manifest.render.template;

/**
 * One piece of a template.
 *
 * @param text text, name or unquoted string; for the rest the characters themselves
 */
record Token(Kind kind, String text, Position at) {
    enum Kind {
        TEXT,
        OPEN,
        CLOSE,
        SPACE,
        IDENTIFIER,
        KEYWORD,
        BOOLEAN,
        FIELD,
        DOT,
        VARIABLE,
        DECLARE,
        ASSIGN,
        PIPE,
        LEFT_PARENTHESIS,
        RIGHT_PARENTHESIS,
        COMMA,
        STRING,
        NUMBER,
        END
    }

    boolean is(Kind wanted) {
        return kind == wanted;
    }

    boolean isKeyword(String word) {
        return kind == Kind.KEYWORD && text.equals(word);
    }

    /** How error sentences name it. */
    String displayText() {
        return switch (kind) {
            case END -> "the end of the template";
            case CLOSE -> "'}}'";
            case SPACE -> "a space";
            case OPEN -> "'{{'";
            case FIELD -> "'." + text + "'";
            case TEXT,
                    IDENTIFIER,
                    KEYWORD,
                    BOOLEAN,
                    DOT,
                    VARIABLE,
                    DECLARE,
                    ASSIGN,
                    PIPE,
                    LEFT_PARENTHESIS,
                    RIGHT_PARENTHESIS,
                    COMMA,
                    STRING,
                    NUMBER ->
                    "'" + text + "'";
        };
    }
}
