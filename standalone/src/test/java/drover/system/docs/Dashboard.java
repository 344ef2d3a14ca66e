package drover.system.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The dashboard that comes with Drover, as its queries. */
public final class Dashboard {
    private static final Path FILE = Path.of("..", "deploy", "grafana", "drover.json");

    private Dashboard() {}

    /** Its queries as Grafana sends them, with everything chosen. */
    public static List<String> queries() throws IOException {
        JsonNode dashboard = JsonMapper.builder().build().readTree(Files.readString(FILE));
        List<String> queries = new ArrayList<>();
        for (JsonNode panel : dashboard.at("/panels")) {
            for (JsonNode target : panel.at("/targets")) {
                queries.add(
                        target.at("/expr")
                                .asString()
                                .replace("$__rate_interval", "5m")
                                .replace("$chain", ".*"));
            }
        }
        return List.copyOf(queries);
    }
}
