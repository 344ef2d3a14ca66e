package drover.gateway.engine.session;

import drover.model.NodeId;

/** Is told that something changed and looks for itself what it is now. */
public interface NodeChangeListener {
    /** Called on the stream's own thread: must return at once. */
    void nodeChanged(NodeId node, NodeChange change);

    /** Other nodes are locked than before, or misplaced. Must return at once, as above. */
    default void identityProblemsChanged() {}
}
