package drover.manifest.render.template;

import java.util.ArrayList;
import java.util.List;

/** Turns tokens into parts: text, outputs, and the branches and loops around them. */
final class TemplateParser {
    /** Blocks and parentheses in one another; far above any sane template, far below the stack. */
    static final int DEEPEST = 64;

    private final TokenCursor tokens;
    private final PipelineParser pipelines;
    private int depth;

    private TemplateParser(List<Token> all) {
        tokens = new TokenCursor(all);
        pipelines = new PipelineParser(tokens);
    }

    static List<Part> parse(String text) {
        TemplateParser parser = new TemplateParser(Lexer.tokenize(text));
        Block block = parser.parseBlock();
        if (!block.endedBy().is(Token.Kind.END)) {
            Token end = block.endedBy();
            throw TemplateError.syntax(
                    end.at(), "There is no open block for this " + end.displayText() + ".");
        }
        return block.parts();
    }

    /** Parts up to an {@code end}, an {@code else} or the end of the template. */
    private record Block(List<Part> parts, Token endedBy) {}

    private Block parseBlock() {
        List<Part> parts = new ArrayList<>();
        while (true) {
            Token token = tokens.next();
            if (token.is(Token.Kind.END)) {
                return new Block(parts, token);
            }
            if (token.is(Token.Kind.TEXT)) {
                parts.add(new Part.Text(token.text()));
                continue;
            }
            Token first = tokens.skipSpaceAndPeek(); // behind '{{'
            if (first.isKeyword("end") || first.isKeyword("else")) {
                tokens.nextPastSpace();
                return new Block(parts, first);
            }
            parts.add(parseAction(first));
        }
    }

    private Part parseAction(Token first) {
        if (!first.is(Token.Kind.KEYWORD)) {
            Pipeline pipeline = pipelines.parse(PipelineParser.PipelineUse.OUTPUT);
            tokens.expectClose();
            return new Part.Output(pipeline);
        }
        return switch (first.text()) {
            case "if", "with", "range" -> {
                tokens.nextPastSpace();
                yield parseControl(first);
            }
            default ->
                    throw TemplateError.syntax(
                            first.at(),
                            "'" + first.text() + "' is not part of the template subset.");
        };
    }

    /** The rest of an if, with or range, behind its keyword. */
    private Part parseControl(Token keyword) {
        depth++;
        if (depth > DEEPEST) {
            throw TemplateError.syntax(
                    keyword.at(), "Blocks are nested more than " + DEEPEST + " deep.");
        }
        int variables = pipelines.variableCount();
        boolean range = keyword.isKeyword("range");
        Pipeline pipeline =
                pipelines.parse(
                        range
                                ? PipelineParser.PipelineUse.RANGE
                                : PipelineParser.PipelineUse.CONDITION);
        tokens.expectClose();
        Block then = parseBlock();
        List<Part> otherwise =
                then.endedBy().isKeyword("else") ? parseElse(keyword) : requireEnd(then, keyword);
        pipelines.forgetVariablesAfter(variables);
        depth--;
        return switch (keyword.text()) {
            case "if" -> new Part.If(pipeline, then.parts(), otherwise);
            case "with" -> new Part.With(pipeline, then.parts(), otherwise);
            default -> new Part.Range(pipeline, then.parts(), otherwise);
        };
    }

    private List<Part> requireEnd(Block block, Token keyword) {
        if (!block.endedBy().isKeyword("end")) {
            throw TemplateError.syntax(
                    keyword.at(),
                    "This '" + keyword.text() + "' is not closed: write '{{ end }}' behind it.");
        }
        tokens.expectClose();
        return List.of();
    }

    private List<Part> parseElse(Token keyword) {
        Token next = tokens.skipSpaceAndPeek();
        if (next.is(Token.Kind.KEYWORD)) {
            if (!next.isKeyword("if") || !keyword.isKeyword("if")) {
                throw TemplateError.syntax(
                        next.at(), "Only an 'if' can have 'else if'; write '{{ else }}'.");
            }
            tokens.nextPastSpace();
            return List.of(parseControl(next)); // its 'end' closes the outer 'if' as well
        }
        tokens.expectClose();
        Block block = parseBlock();
        requireEnd(block, keyword);
        return block.parts();
    }
}
