package drover.opsagent.docker.engine;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntConsumer;
import tools.jackson.databind.JsonNode;

/** Follows what an engine says while it gets an image: one object a line. */
final class PullProgressReader {
    private static final int OK = 200;

    private record Layer(long current, long total) {}

    private PullProgressReader() {}

    /**
     * Reads until the engine has done.
     *
     * @return the status of an answer that is well
     * @throws EngineFailed with what the engine complained about
     */
    static int readAndGetHttpStatus(InputStream body, IntConsumer percent) throws IOException {
        Map<String, Layer> layers = new HashMap<>();
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.isBlank()) {
                continue;
            }
            JsonNode reported = EngineJson.parseObject(line.getBytes(StandardCharsets.UTF_8));
            String complaint = EngineJson.stringField(reported, "error");
            if (!complaint.isEmpty()) {
                throw EngineFailed.rejected(complaint);
            }
            JsonNode detail = reported.path("progressDetail");
            long total = detail.path("total").asLong(0);
            if (total > 0 && EngineJson.stringField(reported, "status").equals("Downloading")) {
                Layer layer = new Layer(detail.path("current").asLong(0), total);
                layers.put(EngineJson.stringField(reported, "id"), layer);
                percent.accept(totalPercent(layers));
            }
        }
        return OK;
    }

    private static int totalPercent(Map<String, Layer> layers) {
        long current = layers.values().stream().mapToLong(Layer::current).sum();
        long total = layers.values().stream().mapToLong(Layer::total).sum();
        return Math.clamp(current * 100 / total, 0, 100);
    }
}
