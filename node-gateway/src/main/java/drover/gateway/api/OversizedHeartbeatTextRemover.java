package drover.gateway.api;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import drover.agent.v1.AgentFinding;
import drover.agent.v1.ConnectRequest;
import drover.agent.v1.Heartbeat;
import drover.agent.v1.ProgramHealth;
import drover.agent.v1.RejectedCommand;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Map;

/**
 * Removal of the texts for people and of the states of clusters from a serialized heartbeat. It
 * works on the bytes, because the heartbeat is too large to become objects.
 */
final class OversizedHeartbeatTextRemover {
    /** The heartbeat, its programs and findings, and one declined command; more are rejected. */
    private static final int MAX_ENTRIES = 1 + 64 + 128 + 1;

    /** A field that is removed, or the fields to remove inside a message. */
    private sealed interface FieldsToRemove {
        record WholeField() implements FieldsToRemove {}

        record InsideMessage(Map<Integer, FieldsToRemove> fields) implements FieldsToRemove {}
    }

    private static final FieldsToRemove.InsideMessage CUT =
            insideMessage(
                    ConnectRequest.HEARTBEAT_FIELD_NUMBER,
                    new FieldsToRemove.InsideMessage(
                            Map.of(
                                    Heartbeat.PROGRAMS_FIELD_NUMBER,
                                    new FieldsToRemove.InsideMessage(
                                            Map.of(
                                                    ProgramHealth.PROBE_DETAILS_FIELD_NUMBER,
                                                    new FieldsToRemove.WholeField(),
                                                    ProgramHealth.CLUSTER_FIELD_NUMBER,
                                                    new FieldsToRemove.WholeField())),
                                    Heartbeat.FINDINGS_FIELD_NUMBER,
                                    insideMessage(
                                            AgentFinding.DETAIL_FIELD_NUMBER,
                                            new FieldsToRemove.WholeField()),
                                    Heartbeat.REJECTED_COMMAND_FIELD_NUMBER,
                                    insideMessage(
                                            RejectedCommand.DETAIL_FIELD_NUMBER,
                                            new FieldsToRemove.WholeField()))));

    private int entries;

    private OversizedHeartbeatTextRemover() {}

    private static FieldsToRemove.InsideMessage insideMessage(int number, FieldsToRemove cut) {
        return new FieldsToRemove.InsideMessage(Map.of(number, cut));
    }

    /**
     * A message without the texts of its heartbeat. A message with too many entries is returned as
     * it is.
     *
     * @throws IOException when it is malformed
     */
    static byte[] removeTexts(byte[] request) throws IOException {
        OversizedHeartbeatTextRemover texts = new OversizedHeartbeatTextRemover();
        byte[] shorter = texts.removeFields(request, CUT);
        return texts.entries > MAX_ENTRIES ? request : shorter;
    }

    private byte[] removeFields(byte[] message, FieldsToRemove.InsideMessage cut)
            throws IOException {
        CodedInputStream input = CodedInputStream.newInstance(message);
        ByteArrayOutputStream kept = new ByteArrayOutputStream();
        CodedOutputStream output = CodedOutputStream.newInstance(kept);
        while (entries <= MAX_ENTRIES && !input.isAtEnd()) {
            int from = input.getTotalBytesRead();
            int tag = input.readTag();
            int number = WireFormat.getTagFieldNumber(tag);
            boolean isMessage =
                    WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_LENGTH_DELIMITED;
            switch (isMessage ? cut.fields().get(number) : null) {
                case FieldsToRemove.InsideMessage inner -> {
                    entries++;
                    output.writeByteArray(number, removeFields(input.readByteArray(), inner));
                }
                case FieldsToRemove.WholeField() -> {
                    var _ = input.skipField(tag);
                }
                case null -> {
                    var _ = input.skipField(tag);
                    output.writeRawBytes(message, from, input.getTotalBytesRead() - from);
                }
            }
        }
        output.flush();
        return kept.toByteArray();
    }
}
