package drover.standalone.command;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import drover.localenv.UserFacingError;
import drover.manifest.document.ParseResult;
import drover.manifest.document.ValidationProblem;
import drover.manifest.document.YamlNode;
import drover.manifest.parse.ExpectedIds;
import drover.manifest.parse.ManifestParser;
import drover.manifest.parse.ProfileParser;
import drover.manifest.source.YamlReader;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.standalone.command.JsonSchemaCommand.Kind;
import drover.standalone.fleet.NodesFileReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.schema.CoreSchema;
import tools.jackson.databind.json.JsonMapper;

/** Asks the schemas, as an editor does, and the real parsers about a document. */
final class SchemaDocuments {
    private static final Digest ANY = new Digest("sha256:" + "0".repeat(64));
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final SchemaRegistry REGISTRY =
            SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);
    private static final Map<Kind, Schema> SCHEMAS = new EnumMap<>(Kind.class);

    private SchemaDocuments() {}

    /** What the schema has against a document whose plain values have YAML's own types. */
    static List<String> bySchema(Kind kind, String yaml) {
        LoadSettings settings = LoadSettings.builder().setSchema(new CoreSchema()).build();
        Object document = new Load(settings).loadFromString(yaml);
        return schema(kind).validate(JSON.writeValueAsString(document), InputFormat.JSON).stream()
                .map(Object::toString)
                .toList();
    }

    static Schema schema(Kind kind) {
        return SCHEMAS.computeIfAbsent(
                kind, k -> REGISTRY.getSchema(JsonSchemaCommand.readSchema(k), InputFormat.JSON));
    }

    /** What the parser has against it. */
    static List<String> byParser(Kind kind, String yaml) {
        return switch (kind) {
            case MANIFEST ->
                    sentences(
                            parsed(yaml)
                                    .map(n -> ManifestParser.parse(n, ExpectedIds.ANY, ANY, "f")));
            case CHAIN_PROFILE ->
                    sentences(
                            parsed(yaml)
                                    .map(
                                            n ->
                                                    ProfileParser.parse(
                                                            n,
                                                            new ChainProfileId("harbour"),
                                                            ANY,
                                                            "f")));
            case NODES -> nodes(yaml);
        };
    }

    private static java.util.stream.Stream<YamlNode> parsed(String yaml) {
        return switch (YamlReader.read(yaml.getBytes(StandardCharsets.UTF_8), "f")) {
            case ParseResult.Valid<YamlNode>(YamlNode node) -> java.util.stream.Stream.of(node);
            case ParseResult.Invalid<YamlNode>(List<ValidationProblem> problems) ->
                    throw new IllegalArgumentException("no YAML: " + problems);
        };
    }

    private static List<String> sentences(
            java.util.stream.Stream<? extends ParseResult<?>> documents) {
        return documents
                .flatMap(parsed -> parsed.problems().stream())
                .map(problem -> problem.location().path() + ": " + problem.message())
                .toList();
    }

    private static List<String> nodes(String yaml) {
        try {
            Path file = Files.createTempFile("nodes", ".yaml");
            try {
                NodesFileReader.read(Files.writeString(file, yaml));
                return List.of();
            } catch (UserFacingError e) {
                return e.message().lines().toList();
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
