package drover.manifest.render.template;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Parses what stands inside an action: declarations, pipelines, calls and operands. */
final class PipelineParser {
    /** Where a pipeline stands; it decides what may be declared. */
    enum Context {
        OUTPUT,
        CONDITION,
        RANGE,
        NESTED
    }

    private final Tokens tokens;
    private final List<String> variables = new ArrayList<>(List.of("$"));
    private int depth;

    PipelineParser(Tokens tokens) {
        this.tokens = tokens;
    }

    int variables() {
        return variables.size();
    }

    void forgetVariablesAfter(int count) {
        variables.subList(count, variables.size()).clear();
    }

    /** Parses up to, not including, the closing braces or parenthesis. */
    Pipeline parse(Context context) {
        Position at = tokens.peekPastSpace().at();
        Pipeline.Binding binding = binding(context);
        List<Expression> commands = new ArrayList<>();
        commands.add(command(false));
        while (tokens.peekPastSpace().is(Token.Kind.PIPE)) {
            tokens.next();
            commands.add(command(true));
        }
        if (binding instanceof Pipeline.Binding.Declare(List<String> names)) {
            variables.addAll(names);
        }
        return new Pipeline(at, binding, commands);
    }

    private Pipeline.Binding binding(Context context) {
        int start = tokens.mark();
        Token variable = tokens.nextPastSpace();
        if (!variable.is(Token.Kind.VARIABLE)) {
            tokens.returnTo(start);
            return new Pipeline.Binding.None();
        }
        Token mark = tokens.peekPastSpace();
        return switch (mark.kind()) {
            case DECLARE -> {
                tokens.next();
                yield new Pipeline.Binding.Declare(List.of(declared(variable)));
            }
            case ASSIGN -> {
                tokens.next();
                yield assigned(variable, context);
            }
            case COMMA -> {
                tokens.next();
                yield pair(variable, context);
            }
            default -> {
                tokens.returnTo(start);
                yield new Pipeline.Binding.None();
            }
        };
    }

    private static String declared(Token variable) {
        if (variable.text().equals("$")) {
            throw TemplateError.syntax(
                    variable.at(), "'$' alone cannot be declared: give it a name.");
        }
        return variable.text();
    }

    private Pipeline.Binding assigned(Token variable, Context context) {
        if (context == Context.RANGE) {
            throw TemplateError.syntax(variable.at(), "A range declares its variables with ':='.");
        }
        known(variable);
        return new Pipeline.Binding.Assign(declared(variable));
    }

    private Pipeline.Binding pair(Token first, Context context) {
        Token second = tokens.nextPastSpace();
        Token mark = tokens.nextPastSpace();
        if (context != Context.RANGE
                || !second.is(Token.Kind.VARIABLE)
                || !mark.is(Token.Kind.DECLARE)) {
            throw TemplateError.syntax(
                    first.at(), "Only a range declares two variables: '{{ range $k, $v := … }}'.");
        }
        return new Pipeline.Binding.Declare(List.of(declared(first), declared(second)));
    }

    private Expression command(boolean takesValue) {
        Token first = tokens.nextPastSpace();
        if (first.is(Token.Kind.IDENTIFIER)) {
            return call(first, takesValue ? 1 : 0);
        }
        Expression value = operand(first);
        if (takesValue) {
            throw TemplateError.syntax(first.at(), "Only a function can follow '|'.");
        }
        if (!endsCommand()) {
            throw TemplateError.syntax(
                    tokens.peekPastSpace().at(), "Only a function takes arguments.");
        }
        return value;
    }

    private Expression call(Token name, int given) {
        Optional<Function> function = Function.named(name.text());
        if (function.isEmpty()) {
            throw TemplateError.syntax(
                    name.at(), "'" + name.text() + "' is no function of the template subset.");
        }
        List<Expression> arguments = new ArrayList<>();
        while (!endsCommand()) {
            if (!tokens.peek().is(Token.Kind.SPACE)) {
                throw TemplateError.syntax(tokens.peek().at(), "Separate arguments by spaces.");
            }
            arguments.add(operand(tokens.nextPastSpace()));
        }
        if (!function.get().takes(arguments.size() + given)) {
            throw TemplateError.syntax(
                    name.at(),
                    "'" + name.text() + "' does not take " + arguments.size() + " arguments here.");
        }
        return new Expression.Call(name.at(), function.get(), arguments);
    }

    private boolean endsCommand() {
        int start = tokens.mark();
        boolean ends =
                switch (tokens.peekPastSpace().kind()) {
                    case PIPE, CLOSE, RIGHT_PARENTHESIS -> true;
                    default -> false;
                };
        tokens.returnTo(start);
        return ends;
    }

    private Expression operand(Token first) {
        Expression operand =
                switch (first.kind()) {
                    case DOT -> new Expression.Dot(first.at());
                    case FIELD -> new Expression.Field(first.at(), path(first.text()));
                    case VARIABLE -> {
                        known(first);
                        yield new Expression.Variable(first.at(), first.text(), path());
                    }
                    case STRING -> new Expression.Literal(first.at(), first.text());
                    case NUMBER ->
                            new Expression.Literal(
                                    first.at(), Literals.number(first.text(), first.at()));
                    case BOOLEAN -> new Expression.Literal(first.at(), first.text().equals("true"));
                    case LEFT_PARENTHESIS -> nested(first);
                    default ->
                            throw TemplateError.syntax(
                                    first.at(), first.shown() + " stands where a value must.");
                };
        if (tokens.peek().is(Token.Kind.FIELD)) {
            throw TemplateError.syntax(tokens.peek().at(), "A field cannot be asked of this.");
        }
        return operand;
    }

    private Expression nested(Token open) {
        depth++;
        if (depth > Parser.DEEPEST) {
            throw TemplateError.syntax(
                    open.at(), "Parentheses are nested more than " + Parser.DEEPEST + " deep.");
        }
        int known = variables.size();
        Pipeline pipeline = parse(Context.NESTED);
        forgetVariablesAfter(known);
        Token close = tokens.nextPastSpace();
        if (!close.is(Token.Kind.RIGHT_PARENTHESIS)) {
            throw TemplateError.syntax(
                    close.at(), close.shown() + " is not expected here: write ')'.");
        }
        if (!(pipeline.binding() instanceof Pipeline.Binding.None)) {
            throw TemplateError.syntax(
                    open.at(), "A variable cannot be set inside parentheses: set it before.");
        }
        depth--;
        return new Expression.Nested(open.at(), pipeline, path());
    }

    /** The fields that follow directly. */
    private List<String> path(String... first) {
        List<String> path = new ArrayList<>(List.of(first));
        while (tokens.peek().is(Token.Kind.FIELD)) {
            path.add(tokens.next().text());
        }
        return path;
    }

    private void known(Token variable) {
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
