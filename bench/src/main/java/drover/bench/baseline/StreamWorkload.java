package drover.bench.baseline;

import com.google.protobuf.ByteString;
import drover.agent.v1.Command;
import drover.agent.v1.ConnectResponse;

/**
 * What goes over bare streams: to each agent one command, back from it some statuses, and one
 * acknowledgement for the last.
 *
 * @param perConnection agents that share an HTTP/2 connection; real ones have one each
 * @param statuses how many each agent sends
 * @param commandBytes size of a command's body
 * @param statusBytes size of a status
 */
public record StreamWorkload(
        int agents, int perConnection, int statuses, int commandBytes, int statusBytes) {
    /** About what an upgrade is: a body with its digests; eight actions with their times. */
    public static StreamWorkload of(int agents, int perConnection) {
        return new StreamWorkload(agents, perConnection, 4, 600, 1_200);
    }

    /** A command of this size, for whichever agent. */
    ConnectResponse command() {
        return ConnectResponse.newBuilder()
                .setCommand(
                        Command.newBuilder().setBody(ByteString.copyFrom(new byte[commandBytes])))
                .build();
    }
}
