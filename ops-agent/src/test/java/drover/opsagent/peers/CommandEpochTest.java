package drover.opsagent.peers;

import static org.assertj.core.api.Assertions.assertThat;

import drover.agent.v1.Command;
import drover.agent.v1.CommandBody;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** B4: the agent rejects an older leader by the epoch of the command. */
class CommandEpochTest {
    @Test
    @DisplayName("B4: the agent reads the epoch of a command")
    void readsTheEpoch() throws CommandProtos.UnreadableCommand {
        Command command =
                Command.newBuilder()
                        .setEpoch(7)
                        .setBody(
                                CommandBody.newBuilder()
                                        .setNodeId("node-1")
                                        .setAttempt(3)
                                        .build()
                                        .toByteString())
                        .build();
        assertThat(CommandProtos.toReceivedCommand(command).command().epoch()).isEqualTo(7);
        assertThat(CommandProtos.toReceivedCommand(command).command().attempt()).isEqualTo(3);
    }
}
