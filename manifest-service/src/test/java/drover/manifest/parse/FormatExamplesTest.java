package drover.manifest.parse;

import static org.assertj.core.api.Assertions.assertThat;

import drover.manifest.document.ParseResult;
import drover.manifest.document.ProblemCode;
import drover.manifest.document.YamlNode;
import drover.manifest.source.YamlReader;
import drover.model.ChainProfileId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The examples that people copy are good, and every code is told. */
class FormatExamplesTest {
    private static String format() throws IOException {
        return Files.readString(Path.of("../docs/formats.md"));
    }

    private static String example(String heading) throws IOException {
        Matcher found =
                Pattern.compile(
                                "^## " + heading + "$\\s+```yaml\n(.*?)```",
                                Pattern.DOTALL | Pattern.MULTILINE)
                        .matcher(format());
        assertThat(found.find()).as("an example under " + heading).isTrue();
        return found.group(1);
    }

    private static YamlNode document(String yaml) {
        ParseResult<YamlNode> parsed =
                YamlReader.read(yaml.getBytes(StandardCharsets.UTF_8), "example");
        assertThat(parsed.problems()).isEmpty();
        return ((ParseResult.Valid<YamlNode>) parsed).value();
    }

    @Test
    void theExamplesAreGood() throws IOException {
        ParseResult<Manifest> manifest =
                ManifestParser.parse(
                        document(example("Upgrade manifest")),
                        new ExpectedIds("celestia", "v1.5.0-hotfix"),
                        RawContentHash.of(new byte[0]),
                        "example");
        ParseResult<Profile> profile =
                ProfileParser.parse(
                        document(example("Chain profile")),
                        new ChainProfileId("celestia"),
                        RawContentHash.of(new byte[0]),
                        "example");

        assertThat(manifest.problems()).isEmpty();
        assertThat(profile.problems()).isEmpty();
    }

    @Test
    void everyCodeIsDocumented() throws IOException {
        String format = format();

        assertThat(Stream.of(ProblemCode.values()).map(ProblemCode::name))
                .allSatisfy(code -> assertThat(format).contains("`" + code + "`"));
    }
}
