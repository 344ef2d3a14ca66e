package drover.manifest.render.template;

import java.util.List;

/** A reading position in a list of tokens. The last token is {@code END} and is never passed. */
final class TokenCursor {
    private final List<Token> all;
    private int next;

    TokenCursor(List<Token> all) {
        this.all = List.copyOf(all);
    }

    Token peek() {
        return all.get(next);
    }

    Token next() {
        Token token = all.get(next);
        if (!token.is(Token.Kind.END)) {
            next++;
        }
        return token;
    }

    Token skipSpaceAndPeek() {
        while (peek().is(Token.Kind.SPACE)) {
            next++;
        }
        return peek();
    }

    Token nextPastSpace() {
        skipSpaceAndPeek();
        return next();
    }

    /** Where it is now, for {@link #returnTo}. */
    int mark() {
        return next;
    }

    void returnTo(int mark) {
        next = mark;
    }

    void expectClose() {
        Token token = nextPastSpace();
        if (!token.is(Token.Kind.CLOSE)) {
            throw TemplateError.syntax(
                    token.at(), token.displayText() + " is not expected here: write '}}'.");
        }
    }
}
