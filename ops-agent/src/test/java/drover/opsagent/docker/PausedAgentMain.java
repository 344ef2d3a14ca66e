package drover.opsagent.docker;

import drover.model.ActionOutcome;
import drover.model.UpgradeAction;
import drover.opsagent.docker.engine.ContainerEngine;
import drover.opsagent.journal.ActionEntry;
import drover.opsagent.journal.Journal;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * An agent in a process of its own that stands still in the middle of an action, says so, and waits
 * to be killed: where the action changes the engine, between two of its changes.
 */
public final class PausedAgentMain {
    /** After which change of the engine an action is in its middle. */
    private static final Map<UpgradeAction, String> MIDDLE =
            Map.of(
                    UpgradeAction.ACQUIRE_ARTIFACT, "pull",
                    UpgradeAction.STOP_NODE, "setRestartPolicy",
                    UpgradeAction.INSTALL_ARTIFACT, "rename",
                    UpgradeAction.START_NODE, "start");

    private final UpgradeAction where;
    private volatile boolean there;

    private PausedAgentMain(UpgradeAction where) {
        this.where = where;
    }

    /** Arguments: directory, socket, action, attempt, old image, new image, new configuration. */
    public static void main(String[] arguments) {
        PausedAgentMain stopped = new PausedAgentMain(UpgradeAction.valueOf(arguments[2]));
        RealEngineNode node =
                new RealEngineNode(
                        Path.of(arguments[0]),
                        Path.of(arguments[1]),
                        stopped::watched,
                        stopped::write);
        node.boot();
        node.processor.process(
                RealEngineNode.upgrade(
                        Long.parseLong(arguments[3]),
                        arguments[4],
                        arguments[5],
                        arguments[6],
                        Map.of("LEVEL", "new")));
        System.out.println("not stopped");
    }

    private void write(Journal journal) {
        ActionEntry entry = journal.findEntry(where);
        there = entry != null && entry.outcome() == ActionOutcome.RUNNING;
        if (there && !MIDDLE.containsKey(where)) {
            standStill();
        }
    }

    private ContainerEngine watched(ContainerEngine engine) {
        return (ContainerEngine)
                Proxy.newProxyInstance(
                        ContainerEngine.class.getClassLoader(),
                        new Class<?>[] {ContainerEngine.class},
                        (_, method, arguments) -> {
                            try {
                                return method.invoke(engine, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            } finally {
                                if (there && method.getName().equals(MIDDLE.get(where))) {
                                    standStill();
                                }
                            }
                        });
    }

    /** The same engine; runs this before each question of that kind. */
    static ContainerEngine before(ContainerEngine engine, String question, Runnable first) {
        return (ContainerEngine)
                Proxy.newProxyInstance(
                        ContainerEngine.class.getClassLoader(),
                        new Class<?>[] {ContainerEngine.class},
                        (_, method, arguments) -> {
                            if (method.getName().equals(question)) {
                                first.run();
                            }
                            try {
                                return method.invoke(engine, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }

    private static void standStill() {
        System.out.println("stopped here");
        System.out.flush();
        while (true) {
            LockSupport.park(); // until it is killed
        }
    }
}
