package drover.manifest.render.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What Go renders, we render; what Go refuses, we refuse. */
class GoldenTest {
    private static final int LONGEST = 1024 * 1024;
    private static final Map<String, Object> VARIABLES = GoldenCases.variables();

    static List<GoldenCases.Golden> goldens() {
        return GoldenCases.expected();
    }

    @ParameterizedTest
    @MethodSource("goldens")
    void rendersWhatGoRenders(GoldenCases.Golden golden) {
        if (golden.error()) {
            assertThatExceptionOfType(TemplateError.class)
                    .isThrownBy(() -> Template.parse(golden.template()).render(VARIABLES, LONGEST));
        } else {
            assertThat(Template.parse(golden.template()).render(VARIABLES, LONGEST))
                    .isEqualTo(golden.output());
        }
    }

    @Test
    void everyCaseHasWhatGoMadeOfIt() {
        List<String> templates =
                GoldenCases.json(GoldenCases.resource(GoldenCases.CASES))
                        .get("templates")
                        .valueStream()
                        .map(node -> node.asString())
                        .toList();

        assertThat(goldens()).extracting(GoldenCases.Golden::template).isEqualTo(templates);
    }
}
