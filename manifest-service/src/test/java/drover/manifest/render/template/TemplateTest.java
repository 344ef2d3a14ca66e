package drover.manifest.render.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TemplateTest {
    private static final int LONGEST = 10_000;

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '^',
            value = {
                "{{ .gone }}~1~4~UNDEFINED_VARIABLE",
                "^a\n\n  {{ if .gone }}x{{ end }}^~3~9~UNDEFINED_VARIABLE",
                "^a\n{{ .name.x }}^~2~4~EVALUATION",
                "{{ template \"x\" }}~1~4~SYNTAX",
                "{{ block \"x\" . }}{{ end }}~1~4~SYNTAX",
                "{{ break }}~1~4~SYNTAX",
                "{{ nil }}~1~4~SYNTAX",
                "{{ upper .name }}~1~4~SYNTAX",
                "{{ printf \"%d\" .name }}~1~4~EVALUATION",
                "{{ printf \"%d\" }}~1~4~EVALUATION",
                "{{ printf \"x\" 1 }}~1~4~EVALUATION",
                "{{ printf \"%f\" 1.5 }}~1~4~EVALUATION",
                "{{ printf \"%9999d\" 1 }}~1~4~EVALUATION",
                "{{ index . \"gone\" }}~1~4~EVALUATION",
                "{{ .name | }}~1~12~SYNTAX",
                "{{ range $i, $v = .list }}{{ end }}~1~10~SYNTAX",
            })
    void reportsLineAndColumnOfUnsupportedSyntax(
            String template, int line, int column, TemplateError.Kind kind) {
        TemplateError error =
                catchThrowableOfType(
                        TemplateError.class,
                        () ->
                                Template.parse(template)
                                        .render(
                                                Map.of("name", "n", "list", List.of("a")),
                                                LONGEST));

        assertThat(error.kind()).isEqualTo(kind);
        assertThat(List.of(error.line(), error.column())).containsExactly(line, column);
        assertThat(error.sentence()).endsWith(".");
    }

    @Test
    void refusesToWriteMoreThanAllowed() {
        TemplateError error =
                catchThrowableOfType(
                        TemplateError.class,
                        () -> Template.parse("{{ .a }}{{ .a }}").render(Map.of("a", "xxxx"), 7));

        assertThat(error.kind()).isEqualTo(TemplateError.Kind.TOO_LARGE);
    }

    @Test
    void endsAVariableThatDoubles() {
        String doubling =
                "{{ $x := .a }}" + "{{ $x = printf \"%s%s\" $x $x }}".repeat(64) + "{{ len $x }}";

        TemplateError error =
                catchThrowableOfType(
                        TemplateError.class,
                        () -> Template.parse(doubling).render(Map.of("a", "xxxx"), LONGEST));

        assertThat(error.kind()).isEqualTo(TemplateError.Kind.TOO_LARGE);
    }

    @Test
    void endsLoopsInLoops() {
        String loops = "{{ range $.m }}".repeat(20) + "{{ end }}".repeat(20);
        Map<String, Object> variables =
                Map.of("m", List.of("1", "2", "3", "4", "5", "6", "7", "8", "9"));

        TemplateError error =
                catchThrowableOfType(
                        TemplateError.class,
                        () -> Template.parse(loops).render(variables, LONGEST));

        assertThat(error.kind()).isEqualTo(TemplateError.Kind.TOO_LARGE);
    }

    @Test
    void refusesNestingThatWouldExhaustTheStack() {
        String parentheses = "{{ " + "(".repeat(50_000) + "1" + ")".repeat(50_000) + " }}";
        String blocks = "{{ if 1 }}".repeat(10_000) + "{{ end }}".repeat(10_000);

        assertThat(List.of(parentheses, blocks))
                .allSatisfy(
                        text ->
                                assertThat(
                                                catchThrowableOfType(
                                                                TemplateError.class,
                                                                () -> Template.parse(text))
                                                        .kind())
                                        .isEqualTo(TemplateError.Kind.SYNTAX));
    }

    @Test
    void knowsWhichVariablesItMayUse() {
        Template.UsedVariables uses =
                Template.parse("{{ if .a }}{{ $.b.c | quote }}{{ end }}{{ $x := .d }}")
                        .usedVariables();

        assertThat(uses.names()).containsExactlyInAnyOrder("a", "b", "d");
        assertThat(uses.mayUse("e")).isFalse();
        assertThat(Template.parse("{{ range . }}{{ end }}").usedVariables().mayUse("e")).isTrue();
    }
}
