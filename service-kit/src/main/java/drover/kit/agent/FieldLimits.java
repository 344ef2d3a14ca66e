package drover.kit.agent;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Timestamps;
import drover.model.cluster.PrintableLine;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Limits of one field of agent messages. A field without a row has the limits of its type, so that
 * a new field is never unlimited. They are looked up once per field, for each message has dozens.
 *
 * @param isText whether it is text for people, which is repaired instead of rejected
 * @param maxCharacters of a text or a name
 * @param maxEntries of a repeated field
 * @param maxNumber largest number; the smallest is 0
 * @param maxSeconds longest duration
 * @param allowsAnyTime whether each time with a date is plausible
 */
record FieldLimits(
        FieldDescriptor field,
        boolean isText,
        int maxCharacters,
        int maxEntries,
        long maxNumber,
        long maxSeconds,
        boolean allowsAnyTime) {
    /** Longest name, digest, code or identifier, in characters. */
    static final int MAX_NAME = 200;

    /** Most entries of a repeated field. */
    static final int MAX_ENTRIES = 64;

    /** Largest 64-bit number: each one up to it plus one is a number, and JSON can write it. */
    static final long MAX_NUMBER = 1L << 53;

    /** Longest duration: a program may run for years. */
    static final Duration MAX_DURATION = Duration.ofDays(100 * 366L);

    private static final Duration CLOCK_AHEAD = Duration.ofDays(1);
    private static final int MAX_TEXT =
            2_000; // characters; agents shorten their sentences to 1,000
    private static final int MAX_LOCATION = 2_048; // characters of an address or a path
    private static final int MAX_REASON = 300; // characters of a sentence that becomes an error
    private static final int MAX_LOG = 32 * 1024; // characters of a program's output

    /** Text for people: control characters are replaced and the rest is cut off. */
    private static final Map<String, Integer> TEXTS =
            Map.ofEntries(
                    Map.entry("ActionCheck.detail", MAX_TEXT),
                    Map.entry("ActionReport.detail", MAX_TEXT),
                    Map.entry("AgentFinding.detail", MAX_TEXT),
                    Map.entry("AttemptStatus.detail", MAX_TEXT),
                    Map.entry("AttemptStatus.log_tail", 8 * 1024),
                    Map.entry("ClusterReport.reason", PrintableLine.MAX_LENGTH),
                    Map.entry("ClusterState.problem", MAX_TEXT),
                    Map.entry("PreflightReport.detail", MAX_TEXT),
                    Map.entry("ProgramHealth.probe_details", MAX_TEXT),
                    Map.entry("ProgramLog.detail", MAX_REASON),
                    Map.entry("ProgramLog.text", MAX_LOG),
                    Map.entry("RejectedCommand.detail", MAX_TEXT));

    private static final Map<String, Integer> NAMES =
            Map.of(
                    "ConfigFile.path", MAX_LOCATION,
                    "LabelsEntry.value", MAX_LOCATION,
                    "ProgramReport.artifact_url", MAX_LOCATION);

    private static final Map<String, Integer> COUNTS =
            Map.of("Heartbeat.findings", 128, "ProgramReport.config_files", 128);

    private static final Map<String, Long> NUMBERS = Map.of("ActionReport.progress_percent", 100L);

    private static final Map<String, Duration> DURATIONS =
            Map.of("Heartbeat.next_heartbeat_within", Duration.ofMinutes(10));

    /**
     * Largest Hello: 20 programs (as many as a profile may have) with 64 configuration files each.
     * A file needs 158 bytes with a path of 80 characters, a program 650 with an address of 200,
     * its status 32 KiB, labels and the rest 8 KiB: 20 * (64 * 158 + 650) + 40 KiB = 256,200. The
     * endpoint accepts messages of 256 KiB.
     */
    private static final int MAX_HELLO = 252 * 1024;

    /** Largest messages, in bytes. */
    private static final Map<String, Integer> BYTES =
            Map.of(
                    "Hello", MAX_HELLO,
                    "Heartbeat", 16 * 1024,
                    "AttemptStatus", 32 * 1024,
                    "PreflightReport", 16 * 1024,
                    "ProgramLog", MAX_LOG + 8 * 1024);

    static FieldLimits of(FieldDescriptor field) {
        String key = field.getContainingType().getName() + "." + field.getName();
        boolean isInt = field.getJavaType() == FieldDescriptor.JavaType.INT;
        return new FieldLimits(
                field,
                TEXTS.containsKey(key),
                TEXTS.getOrDefault(key, NAMES.getOrDefault(key, MAX_NAME)),
                COUNTS.getOrDefault(key, MAX_ENTRIES),
                NUMBERS.getOrDefault(key, isInt ? 0xFFFF_FFFFL : MAX_NUMBER),
                DURATIONS.getOrDefault(key, MAX_DURATION).toSeconds(),
                key.equals("Heartbeat.sent_at"));
    }

    /** Largest serialized size of a message type; others are limited by the message around them. */
    static int maxBytes(String message) {
        return BYTES.getOrDefault(message, Integer.MAX_VALUE);
    }

    /**
     * Whether a time can be a node's. {@code sent_at} only shows how wrong the clock of a node is,
     * so each time with a date counts; others are between 1970 and one day from now.
     */
    boolean isPlausible(Timestamp time, Instant now) {
        return Timestamps.isValid(time)
                && (allowsAnyTime
                        || (time.getSeconds() >= 0
                                && time.getSeconds() <= now.plus(CLOCK_AHEAD).getEpochSecond()));
    }

    /** Each field with a limit of its own, as {@code Message.field}. */
    static Set<String> limitedFields() {
        return Stream.of(TEXTS, NAMES, COUNTS, NUMBERS, DURATIONS)
                .flatMap(limits -> limits.keySet().stream())
                .collect(Collectors.toUnmodifiableSet());
    }
}
