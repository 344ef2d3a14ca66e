package drover.kit.rest;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import drover.kit.rest.json.ProtoJson;
import io.grpc.StatusException;
import io.grpc.stub.BlockingClientCall;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The answer of a streaming method as server-sent events: the one message in each answer is an
 * event, with its {@code id} and {@code type}; an answer without any is a comment, which only shows
 * that the stream lives.
 */
final class ServerSentEventStream implements HttpResponse.StreamingBody {
    static final String CONTENT_TYPE = "text/event-stream";

    private static final Logger LOG = LoggerFactory.getLogger(ServerSentEventStream.class);

    private final BlockingClientCall<DynamicMessage, DynamicMessage> call;
    private final DynamicMessage first;

    /**
     * @param first the first answer, which shows that the call was not refused
     */
    ServerSentEventStream(
            BlockingClientCall<DynamicMessage, DynamicMessage> call, DynamicMessage first) {
        this.call = call;
        this.first = first;
    }

    /** Ends with the stream, or when the client has gone. */
    @Override
    public void writeTo(OutputStream out) {
        try {
            DynamicMessage next = first;
            while (next != null) { // null: the service has ended the stream
                out.write(toEventText(next).getBytes(StandardCharsets.UTF_8));
                out.flush();
                next = call.read();
            }
        } catch (IOException | java.io.UncheckedIOException e) {
            LOG.debug("A listener has gone reason={}", e.getMessage());
        } catch (StatusException e) {
            LOG.debug("A stream was cut; the listener comes back reason={}", e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            call.cancel("the listener has gone", null);
        }
    }

    /** JSON has no line breaks, so that one line of data is enough. */
    private static String toEventText(DynamicMessage answer) {
        FieldDescriptor field = answer.getDescriptorForType().getFields().getFirst();
        if (!answer.hasField(field)) {
            return ": still here\n\n";
        }
        Message event = (Message) answer.getField(field);
        return "id: "
                + fieldValue(event, "id")
                + "\nevent: "
                + fieldValue(event, "type")
                + "\ndata: "
                + ProtoJson.write(event)
                + "\n\n";
    }

    private static Object fieldValue(Message message, String name) {
        return message.getField(message.getDescriptorForType().findFieldByName(name));
    }
}
