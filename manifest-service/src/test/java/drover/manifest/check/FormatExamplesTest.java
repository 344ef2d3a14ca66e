package drover.manifest.check;

import static org.assertj.core.api.Assertions.assertThat;

import drover.manifest.source.YamlDocument;
import drover.model.ChainProfileId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The examples that people copy are good, and every code is told. */
class FormatExamplesTest {
    private static String format() throws IOException {
        return Files.readString(Path.of("../docs/formats.md"));
    }

    private static List<String> examples() throws IOException {
        return Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL)
                .matcher(format())
                .results()
                .map((MatchResult result) -> result.group(1))
                .toList();
    }

    private static Node document(String yaml) {
        Parsed<Node> parsed = YamlDocument.read(yaml.getBytes(StandardCharsets.UTF_8), "example");
        assertThat(parsed.problems()).isEmpty();
        return ((Parsed.Good<Node>) parsed).value();
    }

    @Test
    void theExamplesAreGood() throws IOException {
        List<String> examples = examples();
        assertThat(examples).hasSize(2);

        Parsed<Manifest> manifest =
                ManifestParser.parse(
                        document(examples.get(0)),
                        new ExpectedIds("celestia", "v1.5.0-hotfix"),
                        ContentHash.of(new byte[0]),
                        "example");
        Parsed<Profile> profile =
                ProfileParser.parse(
                        document(examples.get(1)),
                        new ChainProfileId("celestia"),
                        ContentHash.of(new byte[0]),
                        "example");

        assertThat(manifest.problems()).isEmpty();
        assertThat(profile.problems()).isEmpty();
    }

    @Test
    void everyCodeIsTold() throws IOException {
        String format = format();

        assertThat(Stream.of(ProblemCode.values()).map(ProblemCode::name))
                .allSatisfy(code -> assertThat(format).contains("`" + code + "`"));
    }
}
