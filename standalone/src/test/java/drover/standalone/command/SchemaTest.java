package drover.standalone.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import drover.standalone.command.JsonSchemaCommand.Kind;
import drover.standalone.demo.DemoConfigFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The schemas and the parsers say the same, as far as a schema can say it (invariant H10). */
class SchemaTest {
    private static final Pattern BLOCK = Pattern.compile("(?s)```yaml\n(.*?)```");

    /**
     * First words of other files' examples: of events.yaml (EventSinkFileLoaderTest) and
     * Prometheus'.
     */
    private static final Pattern OTHERS =
            Pattern.compile("(nats|scrape_configs|groups):|# gateway.yaml");

    @TempDir Path folder;

    @ParameterizedTest
    @EnumSource(Kind.class)
    void everySchemaIsOneByItsOwnMetaSchema(Kind kind) {
        var meta =
                SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                        .getSchema(
                                SchemaLocation.of("https://json-schema.org/draft/2020-12/schema"));

        assertThat(meta.validate(JsonSchemaCommand.readSchema(kind), InputFormat.JSON)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void whatUsesEveryKeyIsGoodForSchemaAndParser(Kind kind) {
        String whole = SampleDocuments.whole(kind);

        assertThat(SchemaDocuments.byParser(kind, whole)).isEmpty();
        assertThat(SchemaDocuments.bySchema(kind, whole)).isEmpty();
    }

    @Test
    void theFilesOfTheDemoAreGood() throws IOException {
        DemoConfigFiles.writeUnlessWritten(folder);
        List<Path> files;
        try (Stream<Path> tree = Files.walk(folder)) {
            files = tree.filter(file -> file.toString().endsWith(".yaml")).toList();
        }
        assertThat(files).hasSizeGreaterThanOrEqualTo(3);
        for (Path file : files) {
            assertIsGood(file.toString(), Files.readString(file));
        }
    }

    @ParameterizedTest
    @MethodSource("pages")
    void theExamplesOfTheDocumentationAreGood(Path page) throws IOException {
        Matcher block = BLOCK.matcher(Files.readString(page));
        int found = 0;
        while (block.find()) {
            String example = block.group(1).replaceAll("sha256:[0-9a-f]*…", SampleDocuments.SHA);
            if (OTHERS.matcher(example).lookingAt()) {
                continue;
            }
            found++;
            assertIsGood(page + " block " + found, example);
        }
        assertThat(found).isGreaterThanOrEqualTo(2);
    }

    @Test
    void theLineThatTheDocumentationGivesEditorsNamesTheSchema() throws IOException {
        String page = Files.readString(Path.of("../docs/formats.md"));
        Matcher line =
                Pattern.compile("`(# yaml-language-server: \\$schema=(\\S+))`").matcher(page);
        assertThat(line.find()).isTrue();
        DemoConfigFiles.writeUnlessWritten(folder);
        Path schemas = Files.createDirectory(folder.resolve("schemas"));
        for (Kind kind : Kind.values()) { // the loop that the page tells to run
            Files.writeString(
                    schemas.resolve(kind + ".schema.json"), JsonSchemaCommand.readSchema(kind));
        }

        Path manifest;
        try (Stream<Path> tree = Files.walk(folder.resolve("upgrades"))) {
            manifest = tree.filter(Files::isRegularFile).findFirst().orElseThrow();
        }
        Path named = manifest.resolveSibling(line.group(2)).normalize();
        assertThat(named).hasContent(JsonSchemaCommand.readSchema(Kind.MANIFEST));
        assertIsGood("with its line", line.group(1) + "\n" + Files.readString(manifest));
    }

    static Stream<Path> pages() {
        return Stream.of(Path.of("../docs/formats.md"), Path.of("../docs/operations.md"));
    }

    private static void assertIsGood(String what, String yaml) {
        Kind kind = kind(yaml).orElseThrow(() -> new AssertionError("Which file is " + what));
        assertThat(SchemaDocuments.bySchema(kind, yaml)).as(what).isEmpty();
        assertThat(SchemaDocuments.byParser(kind, yaml))
                .as(what)
                .allSatisfy(problem -> assertThat(problem).contains("The file is named"));
    }

    private static Optional<Kind> kind(String yaml) {
        return yaml.contains("upgrade_id:")
                ? Optional.of(Kind.MANIFEST)
                : yaml.contains("runtime:")
                        ? Optional.of(Kind.CHAIN_PROFILE)
                        : Optional.of(Kind.NODES).filter(_ -> yaml.contains("nodes:"));
    }

    @ParameterizedTest
    @MethodSource("drover.standalone.command.SampleDocuments#broken")
    void bothRefuseWhatIsBroken(SampleDocuments.Broken broken) {
        List<String> accepting = new ArrayList<>();
        if (SchemaDocuments.byParser(broken.kind(), broken.text()).isEmpty()) {
            accepting.add("parser");
        }
        if (SchemaDocuments.bySchema(broken.kind(), broken.text()).isEmpty()) {
            accepting.add("schema");
        }
        assertThat(accepting).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void bothKnowTheSameKeys(Kind kind) {
        List<SampleDocuments.Strange> mappings = SampleDocuments.withAStrangeKey(kind);

        assertThat(mappings).isNotEmpty();
        for (SampleDocuments.Strange strange : mappings) {
            String known =
                    SchemaDocuments.byParser(kind, strange.text()).stream()
                            .filter(sentence -> sentence.contains("'zzz'"))
                            .findFirst()
                            .orElseThrow(() -> new AssertionError("accepted: " + strange));
            assertThat(SchemaKeys.parserKeys(known))
                    .as("the keys of the parser at %s", strange.path())
                    .isEqualTo(SchemaKeys.schemaKeys(kind, strange.path(), strange.mapping()));
            assertThat(SchemaDocuments.bySchema(kind, strange.text()))
                    .as("the schema with a strange key at %s", strange.path())
                    .isNotEmpty();
        }
    }
}
