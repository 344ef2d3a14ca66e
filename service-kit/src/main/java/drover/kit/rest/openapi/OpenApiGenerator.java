package drover.kit.rest.openapi;

import drover.kit.access.AccessTable;
import drover.kit.rest.Route;
import io.grpc.ServiceDescriptor;
import java.util.List;
import java.util.Locale;
import tools.jackson.core.util.DefaultIndenter;
import tools.jackson.core.util.DefaultPrettyPrinter;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The OpenAPI 3.1 document of services: what REST offers of them, said in their contracts' own
 * words. Pure: the same contracts and table give the same text.
 */
public final class OpenApiGenerator {
    /** Where a REST door shows it. */
    public static final String PATH = "/api/v1/openapi.json";

    private static final String VERSION = "v1"; // of the contracts' packages and of every path

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private OpenApiGenerator() {}

    /**
     * The document as a text with a line for each thing, so that a change shows as a few lines.
     *
     * @param access every method's row, which names its scope
     * @throws IllegalArgumentException when a route has no row, or two messages have one name
     */
    public static String generate(AccessTable access, List<ServiceDescriptor> services) {
        DefaultIndenter lines = new DefaultIndenter("  ", "\n");
        return JSON.writer()
                        .with(
                                new DefaultPrettyPrinter()
                                        .withObjectIndenter(lines)
                                        .withArrayIndenter(lines))
                        .writeValueAsString(buildDocument(access, Route.of(services)))
                + "\n";
    }

    private static ObjectNode buildDocument(AccessTable access, List<Route> routes) {
        ProtoComments comments = ProtoComments.ofContracts();
        OpenApiSchemas schemas = new OpenApiSchemas(comments, new MessageUsage(routes));
        OpenApiOperations operations = new OpenApiOperations(comments, access, schemas);
        ObjectNode document = JsonNodes.object("openapi", "3.1.0");
        document.set("info", info());
        document.putArray("servers").addObject().put("url", "/");
        document.set("tags", tags(routes, comments));
        ObjectNode paths = document.putObject("paths");
        for (Route route : routes) {
            paths.withObjectProperty(route.path().text())
                    .set(route.verb().toLowerCase(Locale.ROOT), operations.operationFor(route));
        }
        document.set("components", OpenApiComponents.build(schemas));
        return document;
    }

    private static ObjectNode info() {
        return JsonNodes.object("title", "Drover")
                .put("version", VERSION)
                .put(
                        "description",
                        "Upgrades the software on running nodes in place. Every operation is a"
                                + " method of the gRPC contracts, with the same names and the same"
                                + " reasons for a refusal.\n\nAn answer leaves out empty texts, and"
                                + " what is not known. Lists are cut into pages: `next_page_token`"
                                + " of one answer is `page_token` of the next call, and empty at"
                                + " the end.");
    }

    private static ArrayNode tags(List<Route> routes, ProtoComments comments) {
        ArrayNode tags = JsonNodes.array();
        routes.stream()
                .map(route -> route.method().getService())
                .distinct()
                .forEach(
                        service ->
                                tags.addObject()
                                        .put("name", service.getName())
                                        .put("description", comments.of(service)));
        return tags;
    }
}
