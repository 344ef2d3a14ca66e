package drover.manifest.render.template;

import java.util.List;
import java.util.Map;
import java.util.Set;

/** A template that was read once and can be rendered for any number of nodes, by any thread. */
public final class Template {
    /** The longest template in characters; the same bound as for every other file (H9). */
    public static final int LONGEST = 256 * 1024;

    private final List<Part> parts;

    private Template(List<Part> parts) {
        this.parts = List.copyOf(parts);
    }

    /**
     * Reads a template.
     *
     * @throws TemplateError when it is longer than {@link #LONGEST} or not written in the subset
     */
    public static Template parse(String text) {
        if (text.length() > LONGEST) {
            throw new TemplateError(
                    TemplateError.Kind.TOO_LARGE,
                    new Position(1, 1),
                    "The template is longer than " + LONGEST / 1024 + " KiB.");
        }
        return new Template(TemplateParser.parse(text));
    }

    /**
     * Renders it. An undefined variable is an error, never an empty text.
     *
     * @param variables text, {@link Long}, {@link Double}, {@link Boolean}, lists and maps of these
     * @param longestOutput in characters
     * @throws TemplateError when a variable is undefined, a value does not fit, or too much comes
     *     out
     */
    public String render(Map<String, ?> variables, int longestOutput) {
        return Evaluator.render(parts, variables, longestOutput);
    }

    /** Which variables it may look at. */
    public UsedVariables usedVariables() {
        return UsedVariableCollector.of(parts);
    }

    /**
     * Which variables a template may look at.
     *
     * @param everything true when it walks through all of them
     */
    public record UsedVariables(Set<String> names, boolean everything) {
        public UsedVariables {
            names = Set.copyOf(names);
        }

        /** Whether this variable may be looked at. */
        public boolean mayUse(String name) {
            return everything || names.contains(name);
        }
    }
}
