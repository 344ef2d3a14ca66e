package drover.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.access.OperatorAccessTable;
import drover.kit.access.AccessRequirement;
import drover.kit.access.Scope;
import io.swagger.v3.parser.OpenAPIV3Parser;
import io.swagger.v3.parser.core.models.ParseOptions;
import io.swagger.v3.parser.core.models.SwaggerParseResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The document of REST is OpenAPI 3.1, and tells of every method that operators may call. */
class OperatorApiDefinitionTest {
    private static final Path COMMITTED = Path.of("../docs/openapi.json");
    private static final Pattern CAPTURE = Pattern.compile("\\{([a-z_]+)}");

    private final JsonNode document =
            JsonMapper.builder().build().readTree(OperatorApiDefinition.openApiDocument());

    @Test
    @DisplayName("docs/openapi.json is what is served (-Dupdate writes it)")
    void theCommittedCopyIsWhatIsServed() throws IOException {
        if (System.getProperty("update") != null) {
            Files.writeString(COMMITTED, OperatorApiDefinition.openApiDocument());
        }
        assertThat(Files.readString(COMMITTED))
                .as(
                        "write it anew: ./mvnw -pl rollout-coordinator test -Dtest=OperatorApiDefinitionTest -Dupdate")
                .isEqualTo(OperatorApiDefinition.openApiDocument());
    }

    @Test
    void isOpenApi31() {
        SwaggerParseResult parsed = parsed(OperatorApiDefinition.openApiDocument());

        assertThat(parsed.getMessages()).isEmpty();
        assertThat(parsed.isOpenapi31()).isTrue();
        assertThat(parsed.getOpenAPI().getPaths()).hasSize(document.get("paths").size());
    }

    @Test
    void whatIsNotOpenApiIsFound() {
        String broken =
                OperatorApiDefinition.openApiDocument()
                        .replaceFirst("\"in\" : \"path\"", "\"in\" : \"y\"");
        assertThat(parsed(broken).getMessages()).isNotEmpty();
    }

    private static SwaggerParseResult parsed(String text) {
        ParseOptions options = new ParseOptions();
        options.setResolve(true);
        return new OpenAPIV3Parser().readContents(text, List.of(), options);
    }

    @Test
    void everyReferenceLeadsSomewhere() {
        List<String> references = document.findValuesAsString("$ref");

        assertThat(references).hasSizeGreaterThan(200);
        assertThat(references)
                .allSatisfy(
                        reference -> {
                            assertThat(reference).startsWith("#/");
                            assertThat(document.at(reference.substring(1)).isObject())
                                    .as(reference)
                                    .isTrue();
                        });
    }

    @Test
    @DisplayName("H5: every method that needs a scope is an operation that names it")
    void everyMethodIsAnOperationWithItsScope() {
        Map<String, List<String>> scopes = new TreeMap<>();
        OperatorAccessTable.TABLE
                .rows()
                .forEach(
                        (method, rule) -> {
                            if (rule instanceof AccessRequirement.RequiresScope needs) {
                                String service = method.substring(method.lastIndexOf('.') + 1);
                                scopes.put(
                                        service.replace('/', '_'),
                                        needs.oneOf().stream().map(Scope::wireName).toList());
                            }
                        });
        Map<String, List<String>> received = new TreeMap<>();
        for (JsonNode operation : operations().values()) {
            received.put(
                    operation.at("/operationId").asString(),
                    operation
                            .at("/security")
                            .valueStream()
                            .map(one -> one.at("/bearer/0").asString())
                            .toList());
        }
        assertThat(received).isEqualTo(scopes);
    }

    @Test
    void everyPartOfAPathIsAParameter() {
        operations()
                .forEach(
                        (place, operation) -> {
                            List<String> named = new ArrayList<>();
                            for (JsonNode parameter : operation.at("/parameters")) {
                                if (parameter.at("/in").asString("").equals("path")) {
                                    named.add(parameter.at("/name").asString());
                                    assertThat(parameter.at("/required").asBoolean()).isTrue();
                                }
                            }
                            List<String> compromised =
                                    CAPTURE.matcher(place)
                                            .results()
                                            .map(result -> result.group(1))
                                            .toList();
                            assertThat(named).as(place).isEqualTo(compromised);
                        });
    }

    @Test
    void everythingIsDescribed() {
        List<String> undocumented = new ArrayList<>();
        operations()
                .forEach(
                        (place, operation) -> {
                            require(operation, "summary", place, undocumented);
                            require(operation, "description", place, undocumented);
                            for (JsonNode parameter : operation.at("/parameters")) {
                                if (!parameter.has("$ref")) {
                                    require(parameter, "description", place, undocumented);
                                }
                            }
                        });
        document.at("/components/schemas")
                .properties()
                .forEach(
                        schema -> {
                            require(
                                    schema.getValue(),
                                    "description",
                                    schema.getKey(),
                                    undocumented);
                            schema.getValue()
                                    .path("properties")
                                    .properties()
                                    .forEach(
                                            field ->
                                                    require(
                                                            field.getValue(),
                                                            "description",
                                                            schema.getKey() + "." + field.getKey(),
                                                            undocumented));
                        });
        assertThat(undocumented).isEmpty();
    }

    private static void require(
            JsonNode node, String name, String place, List<String> undocumented) {
        if (node.path(name).asString("").isBlank()) {
            undocumented.add(place + " has no " + name);
        }
    }

    /** By verb and path. */
    private Map<String, JsonNode> operations() {
        Map<String, JsonNode> operations = new TreeMap<>();
        document.get("paths")
                .properties()
                .forEach(
                        path ->
                                path.getValue()
                                        .properties()
                                        .forEach(
                                                verb ->
                                                        operations.put(
                                                                verb.getKey() + " " + path.getKey(),
                                                                verb.getValue())));
        assertThat(operations).hasSizeGreaterThan(40);
        return operations;
    }
}
