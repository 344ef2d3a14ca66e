package drover.standalone.command;

import drover.opsagent.store.StateJson;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code drover agent spec}: prints what an agent without this Drover adopts a program by. */
@Command(
        name = "spec",
        description = "Prints a program of a chain profile for 'adopt --spec' of an agent alone.")
public final class ProfileProgramSpecCommand extends StandaloneCommandBase {
    @Mixin private ChainProgramOptions chain = new ChainProgramOptions();

    @Override
    int run() {
        byte[] json = new StateJson().write(chain.readProgram().program());
        print(new String(json, StandardCharsets.UTF_8));
        return DONE;
    }
}
