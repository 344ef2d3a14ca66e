package drover.manifest.parse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import drover.manifest.document.ParseResult;
import drover.manifest.document.ValidationProblem;
import drover.manifest.document.YamlNode;
import drover.manifest.render.template.Template;
import drover.manifest.render.template.TemplateError;
import drover.manifest.source.YamlReader;
import drover.model.ChainProfileId;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Mutilated files give problems, never anything else. The seed stands in the failure. */
@DisplayName("H10 fuzz")
class ParserFuzzTest {
    private static final int ROUNDS = 4_000;
    private static final String[] PIECES = {
        "{{",
        "}}",
        ":",
        "- ",
        "\n",
        "  ",
        "\t",
        "*a",
        "&a",
        "!!int ",
        "[",
        "]",
        "{",
        "}",
        "\"",
        "'",
        "|",
        ">",
        "#",
        "%",
        "\0",
        "\uFEFF",
        "é",
        "\uD83D\uDE00",
        "? ",
        "<<: ",
        "---",
        "...",
        "0",
        ","
    };
    private static final String TEMPLATE =
            "{{- if and .a (eq .b \"x\") -}} {{ range $k, $v := . }}{{ $k }}{{ end }}"
                    + "{{ else }}{{ with .a }}{{ . | printf \"%-5s\" | quote }}{{ end }}{{ end }}"
                    + "{{ $x := index . \"a\" }}{{ $x = 1.5 }}{{/* c */}}{{ len .a | default 3 }}";

    @Test
    void manifestsAndProfilesNeverFailOtherwise() {
        for (long seed = 1; seed <= ROUNDS; seed++) {
            byte[] manifest = mutilated(ManifestParserTest.GOOD, seed);
            byte[] profile = mutilated(ProfileParserTest.GOOD, seed);

            assertThatCode(() -> readBoth(manifest, profile))
                    .as("seed %d", seed)
                    .doesNotThrowAnyException();
        }
    }

    private static void readBoth(byte[] manifest, byte[] profile) {
        if (YamlReader.read(manifest, "m")
                instanceof ParseResult.Valid<YamlNode>(YamlNode document)) {
            ParseResult<Manifest> parsed =
                    ManifestParser.parse(
                            document, ExpectedIds.ANY, RawContentHash.of(manifest), "m");
            List<ValidationProblem> problems = parsed.problems();
            assertThat(problems).allMatch(problem -> !problem.message().isBlank());
        }
        if (YamlReader.read(profile, "p")
                instanceof ParseResult.Valid<YamlNode>(YamlNode document)) {
            ProfileParser.parse(
                    document, new ChainProfileId("celestia"), RawContentHash.of(profile), "p");
        }
    }

    @Test
    void templatesNeverFailOtherwise() {
        int rendered = 0;
        for (long seed = 1; seed <= ROUNDS; seed++) {
            String text = new String(mutilated(TEMPLATE, seed), StandardCharsets.UTF_8);
            try {
                Template.parse(text).render(Map.of("a", "x", "b", "y"), 10_000);
                rendered++;
            } catch (TemplateError e) {
                assertThat(e.line()).as("seed %d", seed).isPositive();
            }
        }
        assertThat(rendered).isPositive(); // else the mutilation proves nothing
    }

    private static byte[] mutilated(String text, long seed) {
        Random random = new Random(seed);
        StringBuilder out = new StringBuilder(text);
        for (int i = random.nextInt(4); i >= 0; i--) {
            int at = random.nextInt(out.length());
            switch (random.nextInt(4)) {
                case 0 -> out.deleteCharAt(at);
                case 1 -> out.insert(at, PIECES[random.nextInt(PIECES.length)]);
                case 2 -> out.setCharAt(at, (char) random.nextInt(0x250));
                default -> {
                    int end = Math.min(out.length(), at + random.nextInt(40));
                    out.insert(random.nextInt(out.length()), out.substring(at, end));
                }
            }
        }
        return out.toString().getBytes(StandardCharsets.UTF_8);
    }
}
