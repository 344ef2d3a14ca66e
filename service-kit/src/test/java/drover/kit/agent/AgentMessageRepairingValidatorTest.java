package drover.kit.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Duration;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Durations;
import drover.agent.v1.ActionReport;
import drover.agent.v1.AttemptStatus;
import drover.agent.v1.ConnectRequest;
import drover.agent.v1.Heartbeat;
import drover.agent.v1.Hello;
import drover.agent.v1.ProgramHealth;
import drover.kit.agent.AgentMessageRepairingValidator.ValidatedMessage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class AgentMessageRepairingValidatorTest {
    private static final Instant NOW = Instant.parse("2026-05-01T12:00:00Z");

    /** What one field may hold that is neither stored nor computed with safely. */
    private static List<?> nasty(FieldDescriptor field) {
        return switch (field.getJavaType()) {
            case STRING -> List.of("\0", "a\u0085b", "\u001b[2J", "x".repeat(tooLong(field)));
            case INT -> List.of(-1, Integer.MIN_VALUE);
            case LONG -> List.of(-1L, Long.MIN_VALUE, Long.MAX_VALUE, (1L << 53) + 1);
            case MESSAGE -> nastyMessages(field.getMessageType());
            case BOOLEAN, ENUM, BYTE_STRING, FLOAT, DOUBLE -> List.of();
        };
    }

    /** A log may be longer than a status. */
    private static int tooLong(FieldDescriptor field) {
        return field.getFullName().equals("drover.agent.v1.ProgramLog.text") ? 33_000 : 10_000;
    }

    private static List<Message> nastyMessages(Descriptor type) {
        return switch (type.getName()) {
            case "Duration" ->
                    List.of(
                            duration(Long.MAX_VALUE, 0),
                            duration(Long.MAX_VALUE, 1_999_999_999),
                            duration(-1, 0),
                            duration(100_000_000_000_000L, 0),
                            duration(1, -1));
            case "Timestamp" ->
                    List.of(
                            timestamp(Long.MAX_VALUE),
                            timestamp(Long.MIN_VALUE),
                            timestamp(NOW.getEpochSecond() * 200));
            default -> List.of();
        };
    }

    private static Duration duration(long seconds, int nanos) {
        return Duration.newBuilder().setSeconds(seconds).setNanos(nanos).build();
    }

    private static Timestamp timestamp(long seconds) {
        return Timestamp.newBuilder().setSeconds(seconds).build();
    }

    /**
     * Each field of each message that an agent can send, with a path of fields that leads to it.
     */
    private static Map<String, List<FieldDescriptor>> fields() {
        Map<String, List<FieldDescriptor>> fields = new LinkedHashMap<>();
        collect("", List.of(), ConnectRequest.getDescriptor(), fields);
        return fields;
    }

    private static void collect(
            String name,
            List<FieldDescriptor> path,
            Descriptor type,
            Map<String, List<FieldDescriptor>> fields) {
        for (FieldDescriptor field : type.getFields()) {
            String key = name + "/" + field.getName();
            List<FieldDescriptor> here = new ArrayList<>(path);
            here.add(field);
            fields.put(key, here);
            boolean nested =
                    field.getJavaType() == JavaType.MESSAGE
                            && !field.getMessageType().getFile().getPackage().startsWith("google");
            if (nested) {
                collect(key, here, field.getMessageType(), fields);
            }
        }
    }

    /** A message in which only that field is set. */
    private static ConnectRequest with(List<FieldDescriptor> path, Object value, int times) {
        Object inner = value;
        for (FieldDescriptor field : path.reversed()) {
            DynamicMessage.Builder outer = DynamicMessage.newBuilder(field.getContainingType());
            boolean last = field == path.getLast();
            if (field.isRepeated()) {
                outer.setField(field, Collections.nCopies(last ? times : 1, inner));
            } else {
                outer.setField(field, inner);
            }
            inner = outer.build();
        }
        try {
            return ConnectRequest.parseFrom(((Message) inner).toByteString());
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError(e);
        }
    }

    @TestFactory
    List<DynamicTest> noValueOutsideItsLimitsPasses() {
        List<DynamicTest> tests = new ArrayList<>();
        fields().forEach(
                        (name, path) ->
                                nasty(path.getLast())
                                        .forEach(
                                                value ->
                                                        tests.add(
                                                                DynamicTest.dynamicTest(
                                                                        name,
                                                                        () ->
                                                                                rejectsOrRepairs(
                                                                                        path,
                                                                                        value)))));
        assertThat(tests).hasSizeGreaterThan(200);
        return tests;
    }

    private static void rejectsOrRepairs(List<FieldDescriptor> path, Object value) {
        ConnectRequest hostile = with(path, value, 1);
        boolean uint = value instanceof Integer; // a number of 32 bits, whatever it is
        boolean harmless = uint && !path.getLast().getName().equals("progress_percent");
        try {
            ValidatedMessage<ConnectRequest> checked =
                    AgentMessageRepairingValidator.validateAndRepair(hostile, NOW);
            assertThat(checked.replaced()).isEqualTo(harmless ? 0 : 1);
            assertThat(AgentMessageRepairingValidator.validateAndRepair(checked.message(), NOW))
                    .as("what passed passes again")
                    .isEqualTo(new ValidatedMessage<>(checked.message(), 0));
        } catch (InvalidMessage e) {
            assertThat(e.field()).contains(path.getLast().getName());
        }
    }

    @TestFactory
    List<DynamicTest> noFieldRepeatsWithoutLimit() {
        return fields().entrySet().stream()
                .filter(field -> field.getValue().getLast().isRepeated())
                .filter(field -> !field.getValue().getLast().isMapField())
                .map(
                        field ->
                                DynamicTest.dynamicTest(
                                        field.getKey(), () -> limitsEntries(field.getValue())))
                .toList();
    }

    private static void limitsEntries(List<FieldDescriptor> path) {
        FieldDescriptor field = path.getLast();
        Object empty =
                field.getJavaType() == JavaType.MESSAGE
                        ? DynamicMessage.getDefaultInstance(field.getMessageType())
                        : "";
        assertThatThrownBy(
                        () ->
                                AgentMessageRepairingValidator.validateAndRepair(
                                        with(path, empty, 129), NOW))
                .isInstanceOf(InvalidMessage.class)
                .hasMessageContaining("entries");
        assertThat(
                        AgentMessageRepairingValidator.validateAndRepair(with(path, empty, 64), NOW)
                                .replaced())
                .isZero();
    }

    @Test
    void repairsTheTextThatQuotesTheOutputOfAProgram() {
        AttemptStatus status =
                AttemptStatus.newBuilder()
                        .setDetail("It said \0 and\u0007\tended.\n")
                        .setLogTail("ü".repeat(8_192) + "cut off")
                        .build();

        ValidatedMessage<AttemptStatus> checked =
                AgentMessageRepairingValidator.validateAndRepair(status, NOW);

        assertThat(checked.message().getDetail()).isEqualTo("It said ? and?\tended.\n");
        assertThat(checked.message().getLogTail()).isEqualTo("ü".repeat(8_192));
        assertThat(checked.replaced()).isEqualTo(2);
    }

    @Test
    void repairsTheTextOfEverythingThatAnAgentQuotes() {
        fields().values().stream()
                .map(List::getLast)
                .filter(field -> List.of("detail", "probe_details").contains(field.getName()))
                .forEach(
                        field ->
                                assertThat(FieldLimits.of(field).isText())
                                        .as(field.getFullName())
                                        .isTrue());
    }

    @Test
    void namesOnlyFieldsAndMessagesOfTheContractInItsLimits() {
        Set<String> fields =
                fields().values().stream()
                        .map(List::getLast)
                        .map(field -> field.getContainingType().getName() + "." + field.getName())
                        .collect(Collectors.toSet());

        assertThat(fields).containsAll(FieldLimits.limitedFields());
    }

    @Test
    void keepsTheTimeOfAWrongClockAndRemovesActionTimesOfTheFuture() {
        Timestamp ahead = timestamp(NOW.getEpochSecond() + 25 * 3600);
        Heartbeat heartbeat = Heartbeat.newBuilder().setSentAt(ahead).build();
        AttemptStatus status =
                AttemptStatus.newBuilder()
                        .addActions(ActionReport.newBuilder().setName("a").setStartedAt(ahead))
                        .build();

        assertThat(AgentMessageRepairingValidator.validateAndRepair(heartbeat, NOW).message())
                .isSameAs(heartbeat);
        assertThat(
                        AgentMessageRepairingValidator.validateAndRepair(status, NOW)
                                .message()
                                .getActions(0))
                .isEqualTo(ActionReport.newBuilder().setName("a").build());
    }

    @Test
    void acceptsAProgramThatRunsForYearsAndAHeartbeatEveryTenMinutes() {
        Heartbeat heartbeat =
                Heartbeat.newBuilder()
                        .setNextHeartbeatWithin(Durations.fromMinutes(10))
                        .addPrograms(
                                ProgramHealth.newBuilder()
                                        .setUpFor(Durations.fromDays(3_000))
                                        .setHealthyFor(Durations.fromDays(3_000)))
                        .build();

        assertThat(AgentMessageRepairingValidator.validateAndRepair(heartbeat, NOW))
                .isEqualTo(new ValidatedMessage<>(heartbeat, 0));
    }

    @Test
    void limitsTheBytesOfEachMessage() {
        Heartbeat.Builder heartbeat = Heartbeat.newBuilder();
        for (int i = 0; i < 10; i++) {
            heartbeat.addFindingsBuilder().setDetail("x".repeat(1_900));
        }
        Hello.Builder hello = Hello.newBuilder();
        for (int i = 0; i < 150; i++) {
            hello.addProgramsBuilder().setArtifactUrl("x".repeat(2_000));
        }

        assertThatThrownBy(
                        () ->
                                AgentMessageRepairingValidator.validateAndRepair(
                                        heartbeat.build(), NOW))
                .isInstanceOf(InvalidMessage.class)
                .hasMessage("Heartbeat must have at most 16,384 bytes.");
        assertThatThrownBy(
                        () -> AgentMessageRepairingValidator.validateAndRepair(hello.build(), NOW))
                .isInstanceOf(InvalidMessage.class)
                .hasMessage("Hello must have at most 258,048 bytes.");
    }
}
