package drover.manifest.render.template;

import java.util.Locale;
import java.util.Optional;

/** The functions of the subset, each with the number of arguments it takes. */
enum TemplateFunction {
    AND(1, TemplateFunction.ANY),
    OR(1, TemplateFunction.ANY),
    NOT(1, 1),
    EQ(2, TemplateFunction.ANY),
    NE(2, 2),
    LT(2, 2),
    LE(2, 2),
    GT(2, 2),
    GE(2, 2),
    LEN(1, 1),
    INDEX(1, TemplateFunction.ANY),
    PRINTF(1, TemplateFunction.ANY),
    /** {@code default FALLBACK VALUE}: the fallback when the value is empty. */
    DEFAULT(2, 2),
    /** Puts each value in double quotes with Go's escapes; several are separated by spaces. */
    QUOTE(1, TemplateFunction.ANY),
    /** {@code join SEPARATOR LIST}. */
    JOIN(2, 2);

    private static final int ANY = Integer.MAX_VALUE;

    private final int fewest;
    private final int most;

    TemplateFunction(int fewest, int most) {
        this.fewest = fewest;
        this.most = most;
    }

    boolean acceptsArgumentCount(int arguments) {
        return arguments >= fewest && arguments <= most;
    }

    String nameInTemplates() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Optional<TemplateFunction> findByName(String word) {
        for (TemplateFunction function : values()) {
            if (function.nameInTemplates().equals(word)) {
                return Optional.of(function);
            }
        }
        return Optional.empty();
    }
}
