package io.github.comch4j.cli.fabric;

import io.github.comch4j.cli.program.ProgramException;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** The beans of {@code io.github.comch4j.management} in another JVM of this machine, over JMX. */
public final class JvmView implements AutoCloseable {
    private final long pid;
    private final JMXConnector connector;

    @SuppressWarnings("BanJNDI") // the address is one that a JVM of this user has told
    public JvmView(long pid) {
        this.pid = pid;
        try {
            this.connector = JMXConnectorFactory.connect(new JMXServiceURL(address(pid)));
        } catch (IOException e) {
            throw unreachable(e);
        }
    }

    private ProgramException unreachable(Throwable e) {
        return new ProgramException(
                pid + " cannot be looked into: " + FabricView.printable(String.valueOf(e.getMessage())), e);
    }

    /** By reflection: a JRE may lack the module jdk.attach, without which all else of the tool runs. */
    private String address(long of) {
        try {
            Class<?> machine = Class.forName("com.sun.tools.attach.VirtualMachine");
            Object attached = machine.getMethod("attach", String.class).invoke(null, Long.toString(of));
            try {
                return (String) machine.getMethod("startLocalManagementAgent").invoke(attached);
            } finally {
                machine.getMethod("detach").invoke(attached);
            }
        } catch (ClassNotFoundException e) {
            throw new ProgramException(
                    "this Java cannot attach to other JVMs: it is not a JDK (the module jdk.attach is missing)", e);
        } catch (ReflectiveOperationException e) {
            throw unreachable(e.getCause() != null ? e.getCause() : e);
        }
    }

    /** By the beans' names: their attributes, in order. */
    public Map<String, Map<String, Object>> beans() {
        Map<String, Map<String, Object>> beans = new LinkedHashMap<>();
        try {
            MBeanServerConnection server = connector.getMBeanServerConnection();
            for (ObjectName name : new TreeSet<>(server.queryNames(new ObjectName("io.github.comch4j:*"), null))) {
                Map<String, Object> attributes = new LinkedHashMap<>();
                try {
                    for (MBeanAttributeInfo each : server.getMBeanInfo(name).getAttributes()) {
                        Object value = server.getAttribute(name, each.getName());
                        attributes.put(
                                each.getName(),
                                value instanceof Number || value instanceof Boolean
                                        ? value
                                        : FabricView.printable(String.valueOf(value)));
                    }
                } catch (JMException e) {
                    continue; // it has gone meanwhile
                }
                beans.put(FabricView.printable(name.getKeyPropertyListString()), attributes);
            }
        } catch (IOException | JMException e) {
            throw unreachable(e);
        }
        return beans;
    }

    @Override
    public void close() {
        try {
            connector.close();
        } catch (IOException e) {
            // it has ended
        }
    }
}
