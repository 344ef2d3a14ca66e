package drover.opsagent.selfupgrade;

import drover.agent.v1.AttemptStatus;
import drover.agent.v1.Command;
import drover.opsagent.main.HandoverGateway;
import drover.opsagent.systemd.FileExchange;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A control plane in a machine without network. The test says which agent it lets take over ({@code
 * wanted}), that it lets none for now ({@code holds}), and what to send ({@code command}); it is
 * told what the executor said of itself ({@code agent}) and of its attempt ({@code status}), and
 * how many standbys have dialled ({@code standbys}).
 */
final class MachineGatewayMain {
    private static final Duration POLL_INTERVAL = Duration.ofMillis(50);

    private final FileExchange exchange;
    private final HandoverGateway gateway;
    private Command sent = Command.getDefaultInstance();

    private MachineGatewayMain(FileExchange exchange, HandoverGateway gateway) {
        this.exchange = exchange;
        this.gateway = gateway;
    }

    /** Runs until it is killed: directory, port. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        MachineGatewayMain machine =
                new MachineGatewayMain(
                        new FileExchange(Path.of(arguments[0])),
                        new HandoverGateway(Integer.parseInt(arguments[1])));
        CountDownLatch never = new CountDownLatch(1);
        while (!never.await(POLL_INTERVAL.toMillis(), TimeUnit.MILLISECONDS)) {
            machine.poll();
        }
    }

    private void poll() throws IOException {
        gateway.wanted = exchange.text("wanted");
        gateway.lets = !exchange.has("holds");
        Optional<Command> next = exchange.command();
        if (next.isPresent() && !next.get().equals(sent)) {
            sent = next.get();
            gateway.send(sent);
        }
        AttemptStatus status =
                gateway.statuses.isEmpty()
                        ? AttemptStatus.getDefaultInstance()
                        : gateway.statuses.getLast();
        exchange.write("status", status.toByteArray());
        exchange.write("agent", gateway.agent().toByteArray());
        exchange.write("standbys", Long.toString(standbys()));
    }

    private long standbys() {
        return gateway.hellos.stream()
                .filter(hello -> !hello.getExecutor() && !hello.getProbe())
                .count();
    }
}
