package drover.manifest.render.template;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Parses what stands inside an action: declarations, pipelines, calls and operands. */
final class PipelineParser {
    /** Where a pipeline stands; it decides what may be declared. */
    enum PipelineUse {
        OUTPUT,
        CONDITION,
        RANGE,
        NESTED
    }

    private final TokenCursor tokens;
    private final List<String> variables = new ArrayList<>(List.of("$"));
    private int depth;

    PipelineParser(TokenCursor tokens) {
        this.tokens = tokens;
    }

    int variableCount() {
        return variables.size();
    }

    void forgetVariablesAfter(int count) {
        variables.subList(count, variables.size()).clear();
    }

    /** Parses up to, not including, the closing braces or parenthesis. */
    Pipeline parse(PipelineUse context) {
        Position at = tokens.skipSpaceAndPeek().at();
        Pipeline.Binding binding = parseBinding(context);
        List<Expression> commands = new ArrayList<>();
        commands.add(parseCommand(false));
        while (tokens.skipSpaceAndPeek().is(Token.Kind.PIPE)) {
            tokens.next();
            commands.add(parseCommand(true));
        }
        if (binding instanceof Pipeline.Binding.Declare(List<String> names)) {
            variables.addAll(names);
        }
        return new Pipeline(at, binding, commands);
    }

    private Pipeline.Binding parseBinding(PipelineUse context) {
        int start = tokens.mark();
        Token variable = tokens.nextPastSpace();
        if (!variable.is(Token.Kind.VARIABLE)) {
            tokens.returnTo(start);
            return new Pipeline.Binding.None();
        }
        Token mark = tokens.skipSpaceAndPeek();
        return switch (mark.kind()) {
            case DECLARE -> {
                tokens.next();
                yield new Pipeline.Binding.Declare(List.of(requireDeclarableName(variable)));
            }
            case ASSIGN -> {
                tokens.next();
                yield parseAssignment(variable, context);
            }
            case COMMA -> {
                tokens.next();
                yield parsePairDeclaration(variable, context);
            }
            default -> {
                tokens.returnTo(start);
                yield new Pipeline.Binding.None();
            }
        };
    }

    private static String requireDeclarableName(Token variable) {
        if (variable.text().equals("$")) {
            throw TemplateError.syntax(
                    variable.at(), "'$' alone cannot be declared: give it a name.");
        }
        return variable.text();
    }

    private Pipeline.Binding parseAssignment(Token variable, PipelineUse context) {
        if (context == PipelineUse.RANGE) {
            throw TemplateError.syntax(variable.at(), "A range declares its variables with ':='.");
        }
        requireDeclared(variable);
        return new Pipeline.Binding.Assign(requireDeclarableName(variable));
    }

    private Pipeline.Binding parsePairDeclaration(Token first, PipelineUse context) {
        Token second = tokens.nextPastSpace();
        Token mark = tokens.nextPastSpace();
        if (context != PipelineUse.RANGE
                || !second.is(Token.Kind.VARIABLE)
                || !mark.is(Token.Kind.DECLARE)) {
            throw TemplateError.syntax(
                    first.at(), "Only a range declares two variables: '{{ range $k, $v := … }}'.");
        }
        return new Pipeline.Binding.Declare(
                List.of(requireDeclarableName(first), requireDeclarableName(second)));
    }

    private Expression parseCommand(boolean takesValue) {
        Token first = tokens.nextPastSpace();
        if (first.is(Token.Kind.IDENTIFIER)) {
            return parseCall(first, takesValue ? 1 : 0);
        }
        Expression value = parseOperand(first);
        if (takesValue) {
            throw TemplateError.syntax(first.at(), "Only a function can follow '|'.");
        }
        if (!isAtCommandEnd()) {
            throw TemplateError.syntax(
                    tokens.skipSpaceAndPeek().at(), "Only a function takes arguments.");
        }
        return value;
    }

    private Expression parseCall(Token name, int given) {
        Optional<TemplateFunction> function = TemplateFunction.findByName(name.text());
        if (function.isEmpty()) {
            throw TemplateError.syntax(
                    name.at(), "'" + name.text() + "' is no function of the template subset.");
        }
        List<Expression> arguments = new ArrayList<>();
        while (!isAtCommandEnd()) {
            if (!tokens.peek().is(Token.Kind.SPACE)) {
                throw TemplateError.syntax(tokens.peek().at(), "Separate arguments by spaces.");
            }
            arguments.add(parseOperand(tokens.nextPastSpace()));
        }
        if (!function.get().acceptsArgumentCount(arguments.size() + given)) {
            throw TemplateError.syntax(
                    name.at(),
                    "'" + name.text() + "' does not take " + arguments.size() + " arguments here.");
        }
        return new Expression.Call(name.at(), function.get(), arguments);
    }

    private boolean isAtCommandEnd() {
        int start = tokens.mark();
        boolean ends =
                switch (tokens.skipSpaceAndPeek().kind()) {
                    case PIPE, CLOSE, RIGHT_PARENTHESIS -> true;
                    default -> false;
                };
        tokens.returnTo(start);
        return ends;
    }

    private Expression parseOperand(Token first) {
        Expression operand =
                switch (first.kind()) {
                    case DOT -> new Expression.Dot(first.at());
                    case FIELD -> new Expression.Field(first.at(), parsePath(first.text()));
                    case VARIABLE -> {
                        requireDeclared(first);
                        yield new Expression.Variable(first.at(), first.text(), parsePath());
                    }
                    case STRING -> new Expression.Literal(first.at(), first.text());
                    case NUMBER ->
                            new Expression.Literal(
                                    first.at(),
                                    LiteralParser.parseNumber(first.text(), first.at()));
                    case BOOLEAN -> new Expression.Literal(first.at(), first.text().equals("true"));
                    case LEFT_PARENTHESIS -> parseNested(first);
                    default ->
                            throw TemplateError.syntax(
                                    first.at(),
                                    first.displayText() + " stands where a value must.");
                };
        if (tokens.peek().is(Token.Kind.FIELD)) {
            throw TemplateError.syntax(tokens.peek().at(), "A field cannot be asked of this.");
        }
        return operand;
    }

    private Expression parseNested(Token open) {
        depth++;
        if (depth > TemplateParser.DEEPEST) {
            throw TemplateError.syntax(
                    open.at(),
                    "Parentheses are nested more than " + TemplateParser.DEEPEST + " deep.");
        }
        int known = variables.size();
        Pipeline pipeline = parse(PipelineUse.NESTED);
        forgetVariablesAfter(known);
        Token close = tokens.nextPastSpace();
        if (!close.is(Token.Kind.RIGHT_PARENTHESIS)) {
            throw TemplateError.syntax(
                    close.at(), close.displayText() + " is not expected here: write ')'.");
        }
        if (!(pipeline.binding() instanceof Pipeline.Binding.None)) {
            throw TemplateError.syntax(
                    open.at(), "A variable cannot be set inside parentheses: set it before.");
        }
        depth--;
        return new Expression.Nested(open.at(), pipeline, parsePath());
    }

    /** The fields that follow directly. */
    private List<String> parsePath(String... first) {
        List<String> path = new ArrayList<>(List.of(first));
        while (tokens.peek().is(Token.Kind.FIELD)) {
            path.add(tokens.next().text());
        }
        return path;
    }

    private void requireDeclared(Token variable) {
        if (!variables.contains(variable.text())) {
            throw TemplateError.syntax(
                    variable.at(),
                    "The variable '"
                            + variable.text()
                            + "' is not declared: write '{{ "
                            + variable.text()
                            + " := … }}' first.");
        }
    }
}
