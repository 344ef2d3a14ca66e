package drover.opsagent.cluster;

import drover.model.OptionalEnumParser;
import drover.model.cluster.ClusterReport;
import drover.model.cluster.ClusterRole;
import drover.model.cluster.PrintableLine;
import drover.model.cluster.ReplicationLag;
import drover.model.cluster.StopSafety;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads the line of JSON that a driver's probe prints. Fields that the contract does not define are
 * ignored, so that a driver can serve agents of several versions (decision 0160).
 */
final class ClusterReportParser {
    private static final JsonMapper JSON =
            JsonMapper.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .build();

    private final JsonNode report;

    private ClusterReportParser(JsonNode report) {
        this.report = report;
    }

    /**
     * Reads a report.
     *
     * @throws IllegalArgumentException with one sentence
     */
    static ClusterReport parse(byte[] output) {
        if (output.length > DriverContractLimits.MAX_OUTPUT) {
            throw new IllegalArgumentException(
                    "The report exceeds " + DriverContractLimits.MAX_OUTPUT + " bytes.");
        }
        String line = decode(output).strip();
        if (line.isEmpty()) {
            throw new IllegalArgumentException("The report is empty: print one line of JSON.");
        }
        if (line.lines().count() > 1) {
            throw new IllegalArgumentException("The report has several lines: print one.");
        }
        return new ClusterReportParser(readObject(line)).toReport();
    }

    private static String decode(byte[] output) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(output))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("The report is not UTF-8.", e);
        }
    }

    private static JsonNode readObject(String line) {
        try {
            JsonNode read = JSON.readTree(line);
            if (read.isObject()) {
                return read;
            }
        } catch (JacksonException e) {
            String why = String.valueOf(e.getOriginalMessage()).lines().findFirst().orElse("");
            throw new IllegalArgumentException(
                    "The report is not valid JSON: " + PrintableLine.of(why) + ".", e);
        }
        throw new IllegalArgumentException("The report is no JSON object.");
    }

    private ClusterReport toReport() {
        try {
            return new ClusterReport(
                    text("cluster"),
                    text("member"),
                    word("role", ClusterRole.class),
                    flag(report, "voter", "voter"),
                    number(report, "term", "term"),
                    names("voters"),
                    names("healthy_voters"),
                    lag(),
                    optionalText("cluster_version"),
                    word("safe_to_stop", StopSafety.class),
                    optionalText("reason"));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("The report is rejected: " + e.getMessage(), e);
        }
    }

    private ReplicationLag lag() {
        JsonNode lag = report.path("lag");
        if (!lag.isObject()) {
            throw new IllegalArgumentException(
                    "lag is missing or no object: give value, unit and ok.");
        }
        return new ReplicationLag(
                number(lag, "value", "lag.value"),
                text(lag, "unit", "lag.unit"),
                flag(lag, "ok", "lag.ok"));
    }

    private String text(String field) {
        return text(report, field, field);
    }

    private String optionalText(String field) {
        return report.path(field).isMissingNode() ? "" : text(field);
    }

    private static String text(JsonNode object, String field, String shown) {
        JsonNode value = object.path(field);
        if (!value.isString()) {
            throw new IllegalArgumentException(shown + " is missing or no text.");
        }
        return value.stringValue();
    }

    private static boolean flag(JsonNode object, String field, String shown) {
        JsonNode value = object.path(field);
        if (!value.isBoolean()) {
            throw new IllegalArgumentException(shown + " is missing, or neither true nor false.");
        }
        return value.booleanValue();
    }

    private static long number(JsonNode object, String field, String shown) {
        JsonNode value = object.path(field);
        if (!value.isIntegralNumber() || !value.canConvertToLong()) {
            throw new IllegalArgumentException(shown + " is missing or no whole number.");
        }
        return value.longValue();
    }

    private List<String> names(String field) {
        JsonNode list = report.path(field);
        if (!list.isArray()) {
            throw new IllegalArgumentException(field + " is missing or no list.");
        }
        List<String> names = new ArrayList<>();
        for (JsonNode name : list) {
            if (!name.isString()) {
                throw new IllegalArgumentException(field + " has an element that is no text.");
            }
            names.add(name.stringValue());
        }
        return names;
    }

    private <E extends Enum<E>> E word(String field, Class<E> type) {
        return OptionalEnumParser.byLowerCaseName(type, text(field))
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        field + " must be one of " + words(type) + "."));
    }

    private static <E extends Enum<E>> String words(Class<E> type) {
        return Arrays.stream(type.getEnumConstants())
                .map(each -> each.name().toLowerCase(Locale.ROOT))
                .collect(Collectors.joining(", "));
    }
}
